// Helps whoever types a night: keeps each change here and at the service, says what is missing and
// what the night would do, and adds rounds in place. Without it the buttons of the form do the same.

import {
  copiesOf,
  dropCopy,
  isNightGone,
  keepCopy,
  problemOf,
  rescue,
  sendTyped,
} from "./night-kept.js";
import { isWho, People } from "./night-people.js";
import { Told } from "./night-told.js";

const PAUSE_MS = 500;
const AGAIN_MS = 5000;
// What is done in place; everything else leads to another page.
const IN_PLACE = /^(kind|same|rotate|split|table|remove-.*|other-.*)$/;

class Night {
  #pause = 0;
  #isAsking = false;
  #isOver = false;
  #asking = Promise.resolve();
  #isDirty = false;
  #isPressing = false;
  // While a finger is down nothing may move below it.
  #untilReleased = Promise.resolve();

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.told = new Told(form);
    this.people = new People(form, {
      say: (words) => this.told.say(words),
      meet: (field) => this.told.meet(field),
    });
    this.keeper = form.dataset.keeper ?? "";
    for (const change of ["input", "change", "typed"]) {
      form.addEventListener(change, () => this.#changed());
    }
    // With another kind of game there are points, or none.
    form.querySelector("#kind")?.addEventListener("change", () => this.#press("kind"));
    form.addEventListener("focusout", (event) => this.#left(event));
    form.addEventListener("pointerdown", () => this.#hold());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
      this.#press(button?.value ?? "look");
    });
  }

  /** Whether something was typed that the service does not have. */
  get isDirty() {
    return this.#isDirty;
  }

  get action() {
    return /** @type {string} */ (this.form.getAttribute("action"));
  }

  /** What the form would send. */
  get fields() {
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      fields.append(name, String(value));
    }
    return fields;
  }

  /** Sends once more what the service does not have. */
  goOn() {
    if (this.#isDirty) {
      this.#keep();
    }
  }

  /** Ends with its form, when another one takes its place. */
  retire() {
    this.#isOver = true;
    clearTimeout(this.#pause);
  }

  /**
   * Returns what was typed since fields were sent, and leaves it to the next form. What a page says
   * of itself is no part of it.
   * @param {URLSearchParams} sent
   */
  handOver(sent) {
    dropCopy(this.action);
    return this.#typedSince(sent);
  }

  /** @param {URLSearchParams} sent */
  #typedSince(sent) {
    return [...this.fields].filter(
      ([name, value]) => sent.get(name) !== value && name !== "version" && name !== "page",
    );
  }

  /**
   * Takes over what was typed into the form before this one while this one was on its way.
   * @param {[string, string][]} typed
   */
  take(typed) {
    for (const [name, value] of typed) {
      const field = this.form.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        field.value = value;
        this.#changed();
      }
    }
  }

  /** Lets the browser send what is left when the page goes away. */
  leave() {
    if (this.#isDirty) {
      navigator.sendBeacon(`${this.action}/live`, this.fields);
    }
  }

  #hold() {
    this.#untilReleased = new Promise((release) => {
      for (const end of ["click", "pointercancel", "touchend"]) {
        addEventListener(end, () => setTimeout(release), { once: true });
      }
      setTimeout(release, PAUSE_MS * 2);
    });
  }

  #changed() {
    this.#isDirty = true;
    keepCopy(this.action, this.keeper, this.fields.toString());
    this.#keepAfter(PAUSE_MS);
  }

  /** @param {Event} event */
  #left(event) {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.name) {
      this.told.visited.add(field.name);
    }
    // Names are asked about once they are left. Whoever types fast is asked at the next pause, or
    // the helpers of a hall would ask more often than one address may.
    if (isWho(field)) {
      this.#keepAfter(0);
    } else if (this.#isDirty) {
      this.#keepAfter(PAUSE_MS);
    }
  }

  /** @param {number} pause */
  #keepAfter(pause) {
    clearTimeout(this.#pause);
    this.#pause = window.setTimeout(() => this.#keep(), pause);
  }

  #keep() {
    if (this.#isOver) {
      return;
    }
    if (this.#isAsking || this.#isPressing) {
      this.#keepAfter(PAUSE_MS);
      return;
    }
    this.#asking = this.#ask();
  }

  async #ask() {
    this.#isAsking = true;
    const sent = this.fields.toString();
    try {
      const answer = await sendTyped(`${this.action}/live`, sent);
      if (!answer.ok) {
        await this.#failed(answer);
        return;
      }
      const told = await answer.json();
      await this.#untilReleased;
      this.#kept(told, sent);
    } catch (error) {
      this.#lost(error);
    } finally {
      this.#isAsking = false;
    }
  }

  /**
   * @param {import("./night-told.js").Answer} answer
   * @param {string} sent
   */
  #kept(answer, sent) {
    const before = this.action;
    if (this.fields.toString() === sent) {
      this.#isDirty = false;
      dropCopy(before);
    }
    if (answer.leads_to) {
      dropCopy(before);
      location.replace(answer.leads_to);
      return;
    }
    this.told.calm();
    if (answer.action !== before) {
      dropCopy(before);
      this.form.action = answer.action;
      this.told.trouble("apart");
    }
    const version = /** @type {HTMLInputElement} */ (this.form.elements.namedItem("version"));
    version.value = String(answer.version);
    if (this.#isDirty) {
      keepCopy(this.action, this.keeper, this.fields.toString());
    }
    if (location.pathname !== answer.action) {
      history.replaceState(null, "", answer.action);
    }
    this.told.show(answer);
  }

  /** @param {Response} answer */
  async #failed(answer) {
    const { code, detail } = await problemOf(answer);
    if (answer.status === 401) {
      this.told.trouble("left");
    } else if (isNightGone(code)) {
      dropCopy(this.action);
      this.#isDirty = false;
      this.told.trouble(code === "unknown_desk" ? "removed" : "gone");
    } else if (code && answer.status < 500 && answer.status !== 429) {
      // Sent again as it is, it would be refused again.
      this.told.refused(code, detail);
    } else {
      if (answer.status !== 429) {
        this.told.trouble(answer.status < 500 ? "between" : "ours");
      }
      this.#keepAfter(AGAIN_MS);
    }
  }

  /** @param {unknown} error */
  #lost(error) {
    if (!(error instanceof TypeError)) {
      throw error;
    }
    this.told.trouble("offline");
    this.#keepAfter(AGAIN_MS);
  }

  /** @param {string} pressed */
  async #press(pressed) {
    if (this.#isPressing) {
      return;
    }
    this.people.settle();
    this.#isPressing = true;
    clearTimeout(this.#pause);
    // What was asked before must not arrive after this.
    await this.#asking;
    const fields = this.fields;
    keepCopy(this.action, this.keeper, fields.toString());
    fields.set("do", pressed);
    try {
      const answer = await sendTyped(this.action, fields.toString());
      if (!answer.ok) {
        await this.#failed(answer);
        return;
      }
      const told = await answer.json();
      if (IN_PLACE.test(pressed)) {
        await show(told.leads_to, () => this.handOver(fields));
      } else if (this.#typedSince(fields).length > 0) {
        // Whoever types on wants to look later, and at all of it.
        this.#changed();
      } else {
        this.#isDirty = false;
        dropCopy(this.action);
        location.assign(told.leads_to);
      }
    } catch (error) {
      this.#isDirty = true;
      this.#lost(error);
    } finally {
      this.#isPressing = false;
    }
  }
}

/** @type {Night | null} */
let night = null;

/** Takes up the form of the page. */
function begin() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.night"));
  night = form && new Night(form);
}

/**
 * Asks for a page of ours, and reads it.
 * @param {string} address
 */
async function ask(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { answer, page };
}

/**
 * Shows another page of the night in place of this one, with what was typed in the meantime.
 * @param {string} address
 * @param {() => [string, string][]} typedSince
 */
async function show(address, typedSince = () => []) {
  const { answer, page } = await ask(address);
  const shown = page.querySelector("main");
  const main = document.querySelector("main");
  if (!answer.ok || !shown || !main || !page.querySelector("form.night")) {
    location.assign(address);
    return;
  }
  const typed = typedSince();
  const place = document.activeElement?.id ?? "";
  night?.retire();
  main.replaceChildren(...shown.childNodes);
  document.title = page.title;
  history.replaceState(null, "", answer.url);
  begin();
  night?.take(typed);
  const heading = /** @type {HTMLElement} */ (main.querySelector("h1"));
  heading.tabIndex = -1;
  const own = place ? document.getElementById(place) : null;
  /** @type {HTMLElement} */ (own ?? main.querySelector("[autofocus]") ?? heading).focus();
}

/** Shows this page as it is now. A reload would undo a click that was made meanwhile. */
async function refresh() {
  const { answer, page } = await ask(location.href);
  const shown = page.querySelector("main");
  if (answer.ok && shown) {
    document.querySelector("main")?.replaceChildren(...shown.childNodes);
  }
}

/** Sends what was typed on this device and never arrived, and shows it. */
async function findAgain() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.night"));
  const area = /** @type {HTMLElement | null} */ (document.querySelector("[data-keeper]"));
  if (!area) {
    return;
  }
  const desk = `${area.dataset.desk}/`;
  const isNew = form !== null && !location.pathname.startsWith(desk);
  const own = form?.getAttribute("action") ?? "";
  const begins = form && !isNew ? own : desk;
  const copies = copiesOf(area.dataset.keeper ?? "", begins);
  if (copies.length === 0) {
    return;
  }
  const before = night?.fields;
  try {
    const found = await rescue(copies);
    const isTyping = night?.isDirty ?? false;
    if (found && night && before && (found === own || !isTyping)) {
      const on = night;
      await show(found, () => on.handOver(before));
    } else if (found && !form) {
      await refresh();
    }
  } catch (error) {
    if (!(error instanceof TypeError)) {
      throw error;
    }
    night?.told.trouble("offline");
  }
}

begin();
findAgain();
addEventListener("online", () => night?.goOn());
addEventListener("focus", () => night?.goOn());
addEventListener("pagehide", () => night?.leave());
