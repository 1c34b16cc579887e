// Makes a passkey, or logs in with one. Where that can't be done its buttons stay hidden, and mail
// does the same.

const WORDS = {
  stopped: "That was stopped, or took too long. Press the button to try again.",
  offline: "We couldn’t be reached. Check your connection, and try again.",
};

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) {
    throw new Error(told.detail);
  }
  return told;
}

/**
 * @param {string} path
 * @param {boolean} isNew
 * @returns {Promise<PublicKeyCredential>}
 */
async function sign(path, isNew) {
  const options = await post(`${path}/options`, {});
  const credential = isNew
    ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
      })
    : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      });
  return /** @type {PublicKeyCredential} */ (credential);
}

/**
 * @param {HTMLElement} area
 * @param {HTMLButtonElement} button
 */
async function run(area, button) {
  const { options = "", send = "", isNew, to = "" } = area.dataset;
  const wrong = /** @type {HTMLElement} */ (area.querySelector(".wrong"));
  wrong.hidden = true;
  button.disabled = true;
  try {
    const credential = await sign(options, isNew === "yes");
    const told = await post(send, { credential: credential.toJSON(), to });
    location.assign(told.leads_to);
  } catch (error) {
    const isOurs = error instanceof Error && error.constructor === Error;
    const isOffline = error instanceof TypeError;
    wrong.textContent = isOurs ? error.message : isOffline ? WORDS.offline : WORDS.stopped;
    wrong.hidden = false;
    button.disabled = false;
  }
}

if (window.PublicKeyCredential && "parseRequestOptionsFromJSON" in PublicKeyCredential) {
  for (const area of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-send]")
  )) {
    const button = /** @type {HTMLButtonElement} */ (area.querySelector("button"));
    area.hidden = false;
    button.addEventListener("click", () => run(area, button));
  }
}
