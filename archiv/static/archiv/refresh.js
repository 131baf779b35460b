/* Brings the part marked `data-refresh` up to date every two seconds, from the page itself.
   The rest of the page is left alone: place, focus and selection stay. Once the state differs, everything on
   the page may, so it is loaded anew. Without this script a reload shows the same. */

const SECONDS = 2;

async function refresh(part) {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) {
        return null;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(part.id);
    if (fresh === null || fresh.dataset.state !== part.dataset.state) {
        location.reload();
        return null;
    }
    part.replaceChildren(...fresh.childNodes);
    return "refresh" in fresh.dataset ? part : null;
}

function watch(part) {
    setTimeout(async () => {
        let next = part;
        if (!document.hidden) {
            try {
                next = await refresh(part);
            } catch {
                next = part; // the server is away for a moment
            }
        }
        if (next !== null) {
            watch(next);
        }
    }, SECONDS * 1000);
}

document.querySelectorAll("[data-refresh]").forEach(watch);
