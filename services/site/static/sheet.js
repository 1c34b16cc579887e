// Takes a file that is dropped on its field, and keeps what is typed into the cells of a sheet in
// this window until it is sent. The pages work without it, by their buttons.

const PREFIX = "sheet ";

for (const form of document.querySelectorAll("form.drop")) {
  takeDropped(/** @type {HTMLFormElement} */ (form));
}
const mended = /** @type {HTMLFormElement | null} */ (document.querySelector("form.mend"));
if (mended) {
  keepTyped(mended);
}

/**
 * Sends a file that is dropped on a form as if it had been chosen.
 * @param {HTMLFormElement} form
 */
function takeDropped(form) {
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("file"));
  form.querySelector(".droppable")?.removeAttribute("hidden");
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const files = event.dataTransfer?.files;
    if (files?.length) {
      field.files = files;
      form.requestSubmit();
    }
  });
}

/**
 * Keeps what differs from the page, for this state of the sheet: after a reload, or when the line
 * breaks, it is typed again. Once the sheet has been sent, it is another state.
 * @param {HTMLFormElement} form
 */
function keepTyped(form) {
  const version = /** @type {HTMLInputElement} */ (form.elements.namedItem("version")).value;
  const part = /** @type {HTMLInputElement} */ (form.elements.namedItem("part")).value;
  const own = `${PREFIX}${form.dataset.draft} ${version} `;
  forgetOthers(own);
  const fields = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("td input")]);
  const before = typedOf(sessionStorage.getItem(own + part));
  for (const field of fields) {
    const typed = before[field.name];
    if (typed !== undefined && typed !== field.defaultValue) {
      field.value = typed;
      document.getElementById("typed-back")?.removeAttribute("hidden");
    }
  }
  form.addEventListener("input", () => {
    const changed = fields.filter((field) => field.value !== field.defaultValue);
    const typed = Object.fromEntries(changed.map((field) => [field.name, field.value]));
    sessionStorage.setItem(own + part, JSON.stringify(typed));
  });
}

/**
 * Forgets what was typed into sheets that were sent since, or that are others.
 * @param {string} own
 */
function forgetOthers(own) {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(own)) {
      sessionStorage.removeItem(key);
    }
  }
}

/**
 * Returns what was kept; nothing if it is not ours.
 * @param {string | null} kept
 * @returns {Record<string, string>}
 */
function typedOf(kept) {
  try {
    return JSON.parse(kept ?? "{}");
  } catch {
    return {};
  }
}
