/* Keys, focus and waiting. Every page works without this file: it makes them quicker to use. */
"use strict";

const POLL_MS = 1000; // only while nothing is ready
const TYPING_MS = 1200; // between the digits of a label's number

let sending = false;
let typed = "";
let forget = 0;

const byId = (id) => document.getElementById(id);

/* The page of questions is replaced as a whole, so that what is shown is what the server said. */
async function show(request) {
  const answer = await fetch(request);
  const text = await answer.text();
  const next = new DOMParser().parseFromString(text, "text/html");
  const page = next.getElementById("page");
  if (page && byId("page")) byId("page").replaceWith(page);
  else byId("main").replaceChildren(...next.getElementById("main").children); // a refusal
  document.title = next.title;
  const who = document.querySelector(".who"), called = next.querySelector(".who");
  if (who && called) who.replaceWith(called);
  typed = "";
  scrollTo(0, 0);
  arrive();
}

/* A new question: readers of screens hear what was saved, then the heading. */
function arrive() {
  const heading = byId("heading");
  if (heading) heading.focus({ preventScroll: true });
  const said = document.querySelector(".said p");
  if (byId("announcer")) byId("announcer").textContent = said ? said.textContent : "";
  wait();
}

async function send(form, button) {
  if (sending) return;
  sending = true;
  const fields = new URLSearchParams(new FormData(form));
  if (button && button.name) fields.set(button.name, button.value);
  if (button) button.classList.add("pressed");
  try {
    await show(new Request(form.action, { method: "POST", body: fields }));
  } catch (_) {
    trouble(button);
  } finally {
    sending = false;
  }
}

/* The server does not answer: nothing was saved, and nothing is lost. */
function trouble(button) {
  if (button) button.classList.remove("pressed");
  if (document.querySelector(".trouble")) return;
  const told = document.createElement("p");
  told.className = "notice bad trouble";
  told.setAttribute("role", "alert");
  told.textContent = "The server does not answer, so this was not saved. Start tacit review again, and open the address that it prints.";
  byId("main").prepend(told);
}

/* While the next question is prepared: ask once a second, and tell what is being done. */
function wait() {
  const page = byId("page");
  if (!page || !["waiting", "finishing"].includes(page.dataset.state)) return;
  setTimeout(async () => {
    if (byId("page") !== page) return;
    try {
      const state = await (await fetch("/state.json")).json();
      if (state.state !== page.dataset.state) {
        await show(new Request("/"));
        return;
      }
      const line = byId("worker-line");
      const told = (state.worker && state.worker.line) || "";
      if (line && told && line.textContent !== told) line.textContent = told;
    } catch (_) {
      trouble(null);
    }
    wait();
  }, POLL_MS);
}

const buttons = () => Array.from(document.querySelectorAll("#page button[data-key]"));
const offers = () => buttons().filter((own) => own.classList.contains("offer"));

function press(button) {
  button.focus();
  button.form.requestSubmit(button);
}

/* Labels have numbers of one width: with more than nine, the digits are typed one after another. */
function digit(key) {
  clearTimeout(forget);
  typed += key;
  const fits = offers().filter((own) => own.dataset.key.startsWith(typed));
  const exact = fits.find((own) => own.dataset.key === typed);
  for (const own of offers()) own.classList.toggle("near", fits.includes(own));
  if (exact) press(exact);
  if (exact || !fits.length) untype();
  else forget = setTimeout(untype, TYPING_MS);
}

function untype() {
  typed = "";
  for (const own of offers()) own.classList.remove("near");
}

function filter(box) {
  const wanted = box.value.trim().toLowerCase();
  for (const own of offers()) {
    const text = own.dataset.key + " " + own.value.toLowerCase();
    own.hidden = !text.includes(wanted);
  }
}

/* Arrows go from label to label. */
function walk(step) {
  const all = offers().filter((own) => !own.hidden);
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length];
  if (next) next.focus();
}

function inField(target) {
  return target.matches("input, textarea, select") || target.isContentEditable;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (inField(event.target)) {
    fieldKey(event);
    return;
  }
  const key = event.key.toLowerCase();
  const steps = { arrowright: 1, arrowdown: 1, arrowleft: -1, arrowup: -1 };
  if (/^[0-9]$/.test(key) && offers().length) digit(key);
  else if (key in steps && document.activeElement && document.activeElement.matches(".offer")) walk(steps[key]);
  else if (key === "/" && byId("filter")) byId("filter").focus();
  else if (key === "n" && byId("note")) {
    byId("note").closest("details").open = true;
    byId("note").focus();
  } else {
    const button = buttons().find((own) => own.dataset.key === key);
    if (!button) return;
    press(button);
  }
  event.preventDefault();
});

function fieldKey(event) {
  if (event.key === "Escape") {
    if (event.target.id === "filter") event.target.value = "";
    if (event.target.id === "filter") filter(event.target);
    event.target.blur();
  } else if (event.target.id === "filter" && event.key === "Enter") {
    event.preventDefault();
    const left = offers().filter((own) => !own.hidden);
    const exact = left.find((own) => own.dataset.key === event.target.value.trim());
    if (exact || left.length === 1) press(exact || left[0]);
  } else if (event.target.id === "filter" && event.key === "ArrowDown") {
    event.preventDefault();
    walk(1);
  } else if (event.target.id === "note" && event.key === "Enter") {
    event.preventDefault(); // it would press the first label
    event.target.blur();
  }
}

document.addEventListener("input", (event) => {
  if (event.target.id === "filter") filter(event.target);
});

document.addEventListener("submit", (event) => {
  if (!event.target.closest("#page") || !byId("heading")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

wait();
