// Sends a night once, however often its button is pressed, and says so if the line breaks.

const WORDS = {
  sending: "Sending…",
  lost:
    "The connection was lost, and we don’t know yet whether the night arrived. Press the button " +
    "again: it counts once.",
  ours:
    "Something went wrong on our side, and the night may be on its way. Press the button again in " +
    "a minute: it counts once.",
};
const WAIT_MS = 30_000;

let isSending = false;

/** @param {HTMLFormElement} form */
async function send(form) {
  if (isSending) {
    return;
  }
  isSending = true;
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  const label = button.textContent;
  button.textContent = WORDS.sending;
  button.setAttribute("aria-disabled", "true");
  document.getElementById("send-trouble")?.remove();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    fields.append(name, String(value));
  }
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "text/html" },
      body: fields,
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (answer.status >= 500) {
      tell(form, WORDS.ours);
    } else {
      await show(answer);
    }
  } catch (error) {
    const isLost = error instanceof TypeError || error instanceof DOMException;
    if (!isLost) {
      throw error;
    }
    tell(form, WORDS.lost);
  } finally {
    isSending = false;
    button.textContent = label;
    button.removeAttribute("aria-disabled");
  }
}

/** @param {Response} answer */
async function show(answer) {
  if (answer.redirected) {
    location.assign(answer.url);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const shown = page.querySelector("main");
  const main = document.querySelector("main");
  if (shown && main) {
    main.replaceChildren(...shown.childNodes);
    document.title = page.title;
    const heading = /** @type {HTMLElement} */ (main.querySelector("h1"));
    heading.tabIndex = -1;
    heading.focus();
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} told
 */
function tell(form, told) {
  const words = document.createElement("p");
  words.id = "send-trouble";
  words.className = "notice";
  words.setAttribute("role", "alert");
  words.textContent = told;
  form.before(words);
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.action.endsWith("/send")) {
    event.preventDefault();
    send(form);
  }
});
for (const button of document.querySelectorAll("button[data-print]")) {
  /** @type {HTMLElement} */ (button).hidden = false;
  button.addEventListener("click", () => print());
}

// A module of its own, so that its names are.
export {};
