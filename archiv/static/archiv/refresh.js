/* Brings the parts marked `data-refresh` up to date from the page itself: every two seconds, or as many as the mark
   says. The rest of the page is left alone, and a part with the focus, a ticked box or an open detail waits: place,
   focus and selection stay. Once the state of a part differs, everything on the page may, so it is loaded anew.
   Without this script a reload shows the same. */

const SECONDS = 2;

function isInUse(part) {
    return part.contains(document.activeElement) || part.querySelector("input:checked, details[open]") !== null
        || document.querySelector("dialog[open]") !== null;
}

function swap(part, page) {
    const fresh = page.getElementById(part.id);
    if (fresh === null || fresh.dataset.state !== part.dataset.state) {
        location.reload();
        return null;
    }
    part.replaceChildren(...fresh.childNodes);
    document.title = page.title;
    return "refresh" in fresh.dataset ? part : null;
}

async function refresh(part) {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) {
        return null;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return isInUse(part) ? part : swap(part, page);
}

function watch(part) {
    setTimeout(async () => {
        let next = part;
        if (!document.hidden && !isInUse(part)) {
            try {
                next = await refresh(part);
            } catch {
                next = part; // the server is away for a moment
            }
        }
        if (next !== null) {
            watch(next);
        }
    }, (Number(part.dataset.refresh) || SECONDS) * 1000);
}

document.querySelectorAll("[data-refresh]").forEach(watch);
