// Copies lines at the press of a button. Without it, they are marked and copied by hand.

for (const button of document.querySelectorAll("button[data-copies]")) {
  offer(/** @type {HTMLButtonElement} */ (button));
}

/** @param {HTMLButtonElement} button */
function offer(button) {
  const lines = document.getElementById(button.dataset.copies ?? "");
  const told = button.nextElementSibling;
  // A browser has no clipboard for pages that come without encryption.
  if (!lines || !told || !navigator.clipboard) {
    return;
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText((lines.textContent ?? "").trim());
      told.textContent = "Copied.";
    } catch {
      told.textContent = "Your browser doesn\u2019t allow that. Mark the lines and copy them.";
    }
  });
}
