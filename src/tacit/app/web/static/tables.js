/* Lists that answer while one types: the same pages, of which only the results are replaced.
   Without this script a search is a form, and an order is a link. */
const LOADING_MS = 1500; // between two looks at what is being loaded
const PATIENCE_MS = 120; // between a key and the search: typing is not interrupted
const form = document.querySelector("form[data-instant]");
const results = document.getElementById("results");
let latest = 0; // of several answers only the one to the last question is shown

async function show(address) {
  const turn = ++latest;
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("results");
    if (turn !== latest) return;
    if (!answer.ok || !found) {
      location.assign(address);
      return;
    }
    results.replaceChildren(...found.childNodes);
    results.toggleAttribute("data-loading", found.hasAttribute("data-loading"));
    if (!form) return;
    const kept = page.querySelectorAll("form[data-instant] input[type=hidden]");
    form.querySelectorAll("input[type=hidden]").forEach((field) => field.remove());
    form.append(...kept);
    history.replaceState(null, "", address);
  } catch {
    location.assign(address);
  } finally {
    if (turn === latest) results.removeAttribute("aria-busy");
  }
}

function address() {
  const fields = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...fields]) if (!value) fields.delete(name);
  const query = fields.toString();
  return query ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action");
}

if (form && results) {
  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(address()), PATIENCE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    show(address());
  });
  // The order of a table and the pages of a list.
  results.addEventListener("click", (event) => {
    const link = event.target.closest("thead a, .pager a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const at = [...results.querySelectorAll("thead a")].indexOf(link);
    show(link.getAttribute("href")).then(() => {
      if (at >= 0) results.querySelectorAll("thead a")[at]?.focus(); // the link was replaced
      else results.scrollIntoView();
    });
  });
}

// What is being loaded is looked at again until it is there.
if (results?.hasAttribute("data-loading")) {
  const looking = setInterval(() => {
    if (!results.hasAttribute("data-loading")) clearInterval(looking);
    else if (form) show(address());
    else location.reload();
  }, LOADING_MS);
}
