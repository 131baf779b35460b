/* The way from one row of a list to the next: a list remembers its rows for this window, and the page of one of them
   leads on, by links and by the keys j and k; r requeues a failed job. The keys can be switched off, for whoever
   speaks to the machine. Without this script there is the way back by the list. */

const ROWS = "archiv-list", KEYS = "archiv-keys";
const FORM = "#content form:has(input[name=action][value=requeue])";

function remember() {
    const rows = [...document.querySelectorAll("#result_list tbody tr, #content ul.grid > li")]
        .map(row => row.querySelector('a[href*="/change/"]')?.href)
        .filter(href => href !== undefined);
    if (rows.length > 0) {
        const isWhole = document.querySelector('.keyset a[rel="next"]') === null
            && !new URLSearchParams(location.search).has("after");
        sessionStorage.setItem(ROWS, JSON.stringify({ list: location.href, rows, isWhole }));
    }
}

function lead(link, href) {
    link.hidden = href === undefined;
    if (href !== undefined) {
        link.href = href;
    }
}

function showPlace(nav) {
    const known = JSON.parse(sessionStorage.getItem(ROWS) ?? "null");
    const here = (known?.rows ?? []).findIndex(href => new URL(href).pathname === location.pathname);
    if (here < 0) {
        return;
    }
    const words = known.isWhole ? nav.dataset.whole : nav.dataset.part;
    nav.querySelector("[data-place]").textContent = words.replace("{place}", here + 1).replace("{all}", known.rows.length);
    lead(nav.querySelector("[rel=prev]"), known.rows[here - 1]);
    lead(nav.querySelector("[rel=next]"), known.rows[here + 1]);
    lead(nav.querySelector("[data-list]"), known.list);
    const toggle = nav.querySelector("button");
    const tell = () => toggle.setAttribute("aria-pressed", String(localStorage.getItem(KEYS) !== "off"));
    toggle.addEventListener("click", () => {
        localStorage.setItem(KEYS, localStorage.getItem(KEYS) === "off" ? "on" : "off");
        tell();
    });
    tell();
    nav.hidden = false;
}

function press(event) {
    const isTyping = event.target.closest("input, select, textarea, [contenteditable], dialog") !== null;
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey || localStorage.getItem(KEYS) === "off") {
        return;
    }
    const go = { j: "nav.walk:not([hidden]) [rel=next]:not([hidden])", k: "nav.walk:not([hidden]) [rel=prev]:not([hidden])" };
    if (event.key in go) {
        document.querySelector(go[event.key])?.click();
    } else if (event.key === "r") {
        document.querySelector(FORM)?.requestSubmit();
    }
}

remember();
const nav = document.querySelector("nav.walk");
if (nav !== null) {
    showPlace(nav);
    document.addEventListener("keydown", press);
}
