/* Sends the files chosen, or dropped anywhere on the page, one after another, and shows how far each is. The answer
   to each is a line of the report, made by the server. Without this script the form sends all of them at once, and
   the page that comes back says the same. */

const form = document.getElementById("upload");
const lines = document.getElementById("upload-lines");
const input = document.getElementById("upload-files");
const zone = document.getElementById("drop-zone");
const waiting = [];
let isSending = false;

function addLine(file) {
    const line = document.createElement("li");
    line.className = "upload-line";
    const state = document.createElement("span");
    state.className = "state state-processing";
    state.textContent = form.dataset.sending;
    const name = document.createElement("strong");
    name.textContent = file.name;
    const progress = document.createElement("progress");
    progress.max = Math.max(file.size, 1);
    progress.value = 0;
    progress.setAttribute("aria-label", file.name);
    line.append(state, " ", name, " ", progress);
    lines.append(line);
    return line;
}

function refuse(line, words) {
    line.querySelector("progress").remove();
    const state = line.querySelector(".state");
    state.className = "state state-failed";
    state.textContent = form.dataset.refused;
    line.append(words);
}

function finish(line, request) {
    let answer = { line: "", error: request.status === 413 ? form.dataset.tooLarge : form.dataset.lost };
    try {
        answer = JSON.parse(request.responseText);
    } catch {
        // an answer that is no report: of a proxy, or of nobody
    }
    if (answer.line) {
        const page = new DOMParser().parseFromString(answer.line, "text/html");
        line.replaceWith(page.querySelector("li"));
    } else {
        refuse(line, answer.error);
    }
}

function send(file, line, done) {
    const body = new FormData();
    for (const name of ["csrfmiddlewaretoken", "tenant"]) {
        body.append(name, form.elements[name].value);
    }
    body.append("files", file, file.name);
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", event => {
        line.querySelector("progress").value = event.loaded;
    });
    request.addEventListener("load", () => { finish(line, request); done(); });
    request.addEventListener("error", () => { refuse(line, form.dataset.lost); done(); });
    request.open("POST", location.pathname);
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
}

function sendNext() {
    const next = waiting.shift();
    isSending = next !== undefined;
    if (next) {
        send(next.file, next.line, sendNext);
    }
}

function take(files) {
    if (!form.elements.tenant.reportValidity()) {
        return;
    }
    for (const file of files) {
        waiting.push({ file, line: addLine(file) });
    }
    if (!isSending) {
        sendNext();
    }
}

form.addEventListener("submit", event => {
    event.preventDefault();
    take(input.files);
    input.value = "";
});
document.addEventListener("dragover", event => {
    event.preventDefault();
    zone.classList.add("is-over");
});
document.addEventListener("dragleave", () => zone.classList.remove("is-over"));
document.addEventListener("drop", event => {
    event.preventDefault();
    zone.classList.remove("is-over");
    take(event.dataTransfer.files);
});
addEventListener("beforeunload", event => {
    if (isSending) {
        event.preventDefault();
    }
});
zone.hidden = false;
