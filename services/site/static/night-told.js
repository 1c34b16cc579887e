// Shows what the service says about a night while it is typed.

const ROW = ".seat, .games, .field";
const TROUBLES = {
  offline:
    "We can’t be reached. What you type is kept on this device, and sent as soon as we can be " +
    "reached again.",
  ours: "Something went wrong on our side. What you type is kept on this device, and sent again.",
  between:
    "Something between this device and us didn’t let this through. Perhaps the network asks you to " +
    "sign in. What you type is kept on this device, and sent again.",
  left: "You are no longer logged in. What you type is kept on this device.",
  gone:
    "This night is no longer at your desk: it was thrown away, or somebody in it asked to be " +
    "forgotten.",
  removed:
    "You no longer have a desk here, so nothing of this was sent. If you should have one, " +
    "ask an owner of the club to invite you again.",
  apart:
    "Somebody else changed this night at the same time. Both are kept: what you type is a night of " +
    "its own now, and theirs is at your desk.",
};

/**
 * What the service says after a pause.
 * @typedef {object} Answer
 * @property {string} [leads_to] Where to go instead, if the night is on its way.
 * @property {string} action
 * @property {number} version
 * @property {[string, string][]} missing Each with the id of its place.
 * @property {Record<string, string>} guests What is asked about new people, by table.
 * @property {string} tried
 */

export class Told {
  #said = "";
  #sum = "";

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    // Where something was said already, or somebody has been.
    this.visited = new Set(
      [...form.querySelectorAll(".wrong")].map((each) => each.id.replace(/-wrong$/, "")),
    );
  }

  /**
   * Says something to whoever hears the page.
   * @param {string} words
   */
  say(words) {
    const told = this.form.querySelector("#told");
    if (told && words !== this.#said) {
      told.textContent = words;
      this.#said = words;
    }
  }

  /** @param {keyof typeof TROUBLES} what */
  trouble(what) {
    const link = document.createElement("a");
    link.href = `/login?to=${encodeURIComponent(location.pathname)}`;
    link.textContent = "Log in, and go on here";
    this.#worry(what, TROUBLES[what], ...(what === "left" ? [" ", link] : []));
  }

  /**
   * Says why the service does not take what is typed, and what to do about it.
   * @param {string} code
   * @param {string} detail
   */
  refused(code, detail) {
    this.#worry(code, detail, " What you type is kept on this device.");
  }

  /**
   * @param {string} what
   * @param {(string | Node)[]} told
   */
  #worry(what, ...told) {
    const area = this.form.querySelector("#trouble");
    if (!area || area.getAttribute("data-what") === what) {
      return;
    }
    const words = document.createElement("p");
    words.className = "notice";
    words.append(...told);
    area.setAttribute("data-what", what);
    area.replaceChildren(words);
  }

  /** Says that all is well again, unless it is to be known for longer. */
  calm() {
    const area = this.form.querySelector("#trouble");
    if (area && area.getAttribute("data-what") !== "apart") {
      area.removeAttribute("data-what");
      area.replaceChildren();
    }
  }

  /**
   * Asks about somebody new, though the name begins like one of the list.
   * @param {HTMLInputElement} field
   */
  meet(field) {
    const number = this.form.querySelectorAll("input[name^=guest-][name$=-name]").length;
    const table = field.name.split("-")[1];
    const fields = { name: field.value, how: "address" };
    for (const [what, value] of Object.entries(fields)) {
      const hidden = document.createElement("input");
      hidden.type = "hidden";
      hidden.name = `guest-${number}-${what}`;
      hidden.value = value;
      this.form.querySelector(`#guests-${table}`)?.append(hidden);
    }
  }

  /** @param {Answer} answer */
  show(answer) {
    this.#ask(answer.guests);
    this.#missing(answer.missing);
    const tried = this.form.querySelector("#tried");
    if (tried && tried.getAttribute("data-shown") !== answer.tried) {
      tried.setAttribute("data-shown", answer.tried);
      tried.replaceChildren(...parsed(answer.tried));
    }
  }

  /** @param {[string, string][]} missing */
  #missing(missing) {
    for (const each of this.form.querySelectorAll(".wrong")) {
      each.remove();
    }
    for (const each of this.form.querySelectorAll("[aria-invalid]")) {
      each.removeAttribute("aria-invalid");
      each.removeAttribute("aria-describedby");
    }
    const places = new Set(missing.map(([place]) => place));
    for (const link of document.querySelectorAll(".summary a")) {
      if (!places.has((link.getAttribute("href") ?? "").slice(1))) {
        link.closest("li")?.remove();
      }
    }
    if (!document.querySelector(".summary li")) {
      document.querySelector(".summary")?.remove();
    }
    const at = document.activeElement?.id ?? "";
    let sum = "";
    for (const [place, words] of missing) {
      const isSum = place.startsWith("sum-");
      if (isSum || (this.visited.has(place) && place !== at)) {
        this.#wrong(place, words);
      }
      if (isSum && place.split("-")[1] === at.split("-")[1]) {
        sum = words;
      }
    }
    if (sum !== this.#sum) {
      this.#sum = sum;
      this.say(sum);
    }
  }

  /**
   * @param {string} place
   * @param {string} words
   */
  #wrong(place, words) {
    const field = document.getElementById(place);
    if (!field || document.getElementById(`${place}-wrong`)) {
      return;
    }
    const wrong = document.createElement("p");
    wrong.className = "wrong";
    wrong.id = `${place}-wrong`;
    wrong.textContent = words;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) {
      field.append(wrong);
      return;
    }
    const row = field.closest(ROW);
    if (row?.classList.contains("field")) {
      row.append(wrong);
    } else {
      row?.after(wrong);
    }
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", wrong.id);
  }

  /** @param {Record<string, string>} guests */
  #ask(guests) {
    const areas = [...this.form.querySelectorAll(".guests")];
    const asked = areas.map((area) => [...parsed(guests[area.id.split("-")[1] ?? ""] ?? "")]);
    const isSame = areas.every((area, number) => namesIn(area.children) === namesIn(asked[number]));
    const at = document.activeElement;
    const isTyping = at?.closest(".guests") || at?.id.startsWith("who-");
    if (isSame || isTyping) {
      return;
    }
    areas.forEach((area, number) => {
      area.replaceChildren(...(asked[number] ?? []));
    });
  }
}

/**
 * Returns what is asked about, as one text: the names with the numbers of their fields.
 * @param {Iterable<Node> | undefined} nodes
 */
function namesIn(nodes) {
  return [...(nodes ?? [])]
    .filter((node) => node instanceof HTMLFieldSetElement)
    .map((asked) => {
      const name = /** @type {HTMLInputElement} */ (asked.querySelector("input[type=hidden]"));
      return `${name.name} ${name.value}`;
    })
    .join("\n");
}

/** @param {string} html */
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html").body.childNodes;
}
