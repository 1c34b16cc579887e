// Lets people choose from the list of their club while they type a name.

import { fitting, folded } from "./night-names.js";

const SHOWN_MAX = 50;
const WORDS = {
  list: "People of your club",
  /** @param {string} text */
  isNew: (text) => `“${text}” is somebody new`,
  /** @param {number} count */
  found: (count) => (count === 1 ? "1 person matches." : `${count} people match.`),
};

/**
 * One line of the list: what is chosen with it, and whether that is nobody of the list.
 * @typedef {{ text: string, isNew: boolean }} Choice
 */

/**
 * What the page does about it: says something to who hears the page, and asks about somebody new.
 * @typedef {{ say: (words: string) => void, meet: (field: HTMLInputElement) => void }} Told
 */

/** @param {EventTarget | null} target */
export function isWho(target) {
  return target instanceof HTMLInputElement && target.name.startsWith("who-");
}

export class People {
  /** @type {Choice[]} */
  #choices = [];
  #active = -1;
  /** @type {HTMLInputElement | null} */
  #field = null;
  #list = document.createElement("ul");

  /**
   * @param {HTMLFormElement} form
   * @param {Told} told
   */
  constructor(form, told) {
    this.form = form;
    this.told = told;
    const people = /** @type {HTMLDataListElement} */ (form.querySelector("datalist"));
    this.bob = people.dataset.bob ?? "";
    this.names = [...people.options].map((each) => each.value).filter((each) => each !== this.bob);
    people.remove();
    this.#list.id = "who-list";
    this.#list.className = "listbox";
    this.#list.hidden = true;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", WORDS.list);
    form.append(this.#list);
    for (const field of form.querySelectorAll("input[list]")) {
      field.removeAttribute("list");
      field.setAttribute("role", "combobox");
      field.setAttribute("aria-autocomplete", "list");
      field.setAttribute("aria-expanded", "false");
      field.setAttribute("aria-controls", this.#list.id);
    }
    form.addEventListener("input", (event) => this.#typed(event));
    form.addEventListener("keydown", (event) => this.#pressed(event));
    form.addEventListener("focusout", (event) => this.#left(event));
    form.addEventListener("click", (event) => this.#clicked(event));
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /** Takes the one whom a beginning fits, or who was gone to with the arrows. */
  settle() {
    if (this.#field && this.#active >= 0) {
      this.#choose(this.#active);
    }
    this.#close();
  }

  /** @param {Event} event */
  #typed(event) {
    if (isWho(event.target)) {
      this.#open(/** @type {HTMLInputElement} */ (event.target));
    }
  }

  /** @param {Event} event */
  #left(event) {
    if (event.target === this.#field) {
      this.settle();
    }
  }

  /** @param {Event} event */
  #clicked(event) {
    const option = /** @type {Element} */ (event.target).closest("[role=option]");
    if (option && this.#field) {
      const field = this.#field;
      this.#choose([...this.#list.children].indexOf(option));
      beside(field, "won")?.focus();
    } else if (isWho(event.target)) {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (!field.value) {
        this.#open(field, true);
      }
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) {
      return;
    }
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (isWho(field) ? this.#pressedInName(event, field) : goesToPoints(event, field)) {
      event.preventDefault();
    }
  }

  /**
   * Does what a key says in the field of a name; returns whether it was taken.
   * @param {KeyboardEvent} event
   * @param {HTMLInputElement} field
   */
  #pressedInName(event, field) {
    const isOpen = this.#field === field && !this.#list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) {
        this.#open(field, true);
      }
      this.#move(event.key === "ArrowDown" ? 1 : -1);
      return true;
    }
    if (event.key === "Escape" && isOpen) {
      this.#close();
      return true;
    }
    if (event.key === "Enter" && isOpen && this.#active >= 0) {
      this.#choose(this.#active);
      return true;
    }
    return isOpen && this.#active >= 0 && this.#goesToWon(event.key, field);
  }

  /**
   * A number is in nobody's name here: it is how many games they won.
   * @param {string} key
   * @param {HTMLInputElement} field
   */
  #goesToWon(key, field) {
    const won = beside(field, "won");
    const longer = folded(field.value + key);
    const isNumber = /^[0-9]$/.test(key);
    if (!won || !isNumber || this.names.some((name) => folded(name).startsWith(longer))) {
      return false;
    }
    this.#choose(this.#active);
    goOn(won, key);
    return true;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {boolean} isAsked Whether everybody is shown as long as nothing is typed.
   */
  #open(field, isAsked = false) {
    const isKnown = this.#guests().includes(folded(field.value));
    const found = isKnown ? [] : fitting(this.names, this.bob, field.value);
    const all = isAsked && !field.value ? [...this.names, this.bob] : found;
    /** @type {Choice[]} */
    const choices = all.slice(0, SHOWN_MAX).map((text) => ({ text, isNew: false }));
    const isWhole = found.length === 1 && folded(found[0] ?? "") === folded(field.value);
    if (found.length > 0 && !isWhole && !field.value.includes("@")) {
      choices.push({ text: field.value.trim(), isNew: true });
    }
    if (choices.length === 0 || (isWhole && found[0] === field.value)) {
      this.#close();
      return;
    }
    this.#field = field;
    this.#choices = choices;
    // People are called Bob, so the imaginary one is chosen, and never taken for a name that is left.
    const isOne = found.length === 1 && (found[0] !== this.bob || folded(field.value).length > 3);
    this.#show(isOne ? 0 : -1);
    this.told.say(found.length === 1 ? (found[0] ?? "") : WORDS.found(all.length));
  }

  /** @param {number} active */
  #show(active) {
    const field = /** @type {HTMLInputElement} */ (this.#field);
    this.#list.replaceChildren(
      ...this.#choices.map((choice, number) => {
        const option = document.createElement("li");
        option.id = `who-option-${number}`;
        option.setAttribute("role", "option");
        option.textContent = choice.isNew ? WORDS.isNew(choice.text) : choice.text;
        return option;
      }),
    );
    field.closest(".seat")?.after(this.#list);
    this.#list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    this.#mark(active);
  }

  /** @param {number} active */
  #mark(active) {
    this.#active = active;
    [...this.#list.children].forEach((option, number) => {
      option.setAttribute("aria-selected", String(number === active));
    });
    const marked = this.#list.children[active];
    if (marked) {
      this.#field?.setAttribute("aria-activedescendant", marked.id);
      marked.scrollIntoView({ block: "nearest" });
    } else {
      this.#field?.removeAttribute("aria-activedescendant");
    }
  }

  /** @param {number} step */
  #move(step) {
    const count = this.#choices.length;
    if (this.#field && count > 0) {
      this.#mark((this.#active + step + count) % count);
    }
  }

  /** @param {number} number */
  #choose(number) {
    const choice = this.#choices[number];
    const field = this.#field;
    this.#close();
    if (!choice || !field) {
      return;
    }
    const isOther = field.value !== choice.text;
    field.value = choice.text;
    if (choice.isNew) {
      this.told.meet(field);
    } else {
      this.told.say(choice.text);
    }
    if (isOther || choice.isNew) {
      field.dispatchEvent(new CustomEvent("typed", { bubbles: true }));
    }
  }

  #close() {
    this.#list.hidden = true;
    this.#field?.setAttribute("aria-expanded", "false");
    this.#field?.removeAttribute("aria-activedescendant");
    this.#field = null;
    this.#active = -1;
  }

  /** Returns the names of those whom the page asks about already. */
  #guests() {
    const fields = this.form.querySelectorAll("input[name^=guest-][name$=-name]");
    return [.../** @type {NodeListOf<HTMLInputElement>} */ (fields)].map((each) =>
      folded(each.value),
    );
  }
}

/**
 * A minus is in no number of games: the points begin with it.
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} field
 */
function goesToPoints(event, field) {
  const points = field.name?.startsWith("won-") ? beside(field, "points") : null;
  if (!points || points.type === "hidden" || !/^[-−]$/.test(event.key)) {
    return false;
  }
  goOn(points, event.key);
  return true;
}

/**
 * Goes on typing in another field.
 * @param {HTMLInputElement} field
 * @param {string} key
 */
function goOn(field, key) {
  field.focus();
  field.value = key;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * Returns another field of the same line.
 * @param {HTMLInputElement} field
 * @param {string} what
 */
function beside(field, what) {
  const name = field.name.replace(/^[a-z]+/, what);
  const found = field.form?.elements.namedItem(name);
  return found instanceof HTMLInputElement ? found : null;
}
