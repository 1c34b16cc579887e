// Searches while a person types. The page works without it, by its button.

const PAUSE_MS = 250;

const form = /** @type {HTMLFormElement} */ (document.querySelector("main form.find"));
const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
const shown = /** @type {HTMLElement} */ (document.getElementById("found"));

let pause = 0;
let asked = field.value;
let running = new AbortController();

/**
 * Shows what the page of a search shows. The element that is read out stays, so that its words are
 * heard when they change.
 * @param {Document} page
 */
function show(page) {
  const found = page.getElementById("found");
  const count = shown.querySelector(".count");
  const newCount = found?.querySelector(".count");
  if (!found || !count || !newCount) {
    return;
  }
  const wrong = page.getElementById("q-wrong")?.textContent ?? "";
  count.textContent = wrong || newCount.textContent;
  newCount.remove();
  shown.replaceChildren(count, ...found.childNodes);
  document.title = page.title;
}

async function search() {
  const words = field.value.trim();
  if (words === asked.trim()) {
    return;
  }
  asked = field.value;
  running.abort();
  running = new AbortController();
  const address = words ? `/find?q=${encodeURIComponent(words)}` : "/find";
  const listed = words ? `${address}&as=list` : address;
  shown.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(listed, {
      headers: { Accept: "text/html" },
      signal: running.signal,
    });
    if (answer.ok) {
      show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      history.replaceState(null, "", address);
    }
  } catch (error) {
    // Without the service, the button still says what is wrong.
    if (!(error instanceof DOMException || error instanceof TypeError)) {
      throw error;
    }
  } finally {
    shown.removeAttribute("aria-busy");
  }
}

field.addEventListener("input", () => {
  clearTimeout(pause);
  document.getElementById("q-wrong")?.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
  pause = window.setTimeout(search, PAUSE_MS);
});
