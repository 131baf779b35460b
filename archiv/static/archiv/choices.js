/* Gives the boxes in which a row of another table is looked for the name that their label has: the widget leaves it
   out, and screen readers then say no more than "combobox". */

function nameBox(box) {
    const rendered = box.querySelector(".select2-selection__rendered");
    const field = rendered?.id.replace(/^select2-/, "").replace(/-container$/, "");
    const label = field ? document.querySelector(`label[for="${CSS.escape(field)}"]`) : null;
    if (label !== null) {
        const name = label.textContent.replace(/:\s*$/, "");
        box.setAttribute("aria-label", name);
        rendered.setAttribute("aria-label", name);
    }
}

function nameAll() {
    document.querySelectorAll(".select2-selection:not([aria-label])").forEach(nameBox);
}

// The widget makes its boxes whenever it is ready, and new ones with new rows.
new MutationObserver(nameAll).observe(document.body, { childList: true, subtree: true });
nameAll();
