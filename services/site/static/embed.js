// Shows Mahjic on pages of others: <mahjic-leaderboard source="..." limit="10">,
// <mahjic-player id="MJ-..."> and <mahjic-calculator>.
//
// It needs no other file, sets no cookie, and asks the service that it came from without the
// address of the page. Names are text, never markup. While the service is away, it shows the last
// numbers that this browser has seen here, with their age, for a day at most.

const HOME = new URL(import.meta.url).origin;
const KEPT = "mahjic-embed-1 "; // Before each address of which this browser keeps the answer.
const KEPT_MS_MAX = 24 * 60 * 60 * 1000;
const WAIT_MS_MAX = 10_000;
const ROWS_DEFAULT = 10;
const ROWS_MAX = 50;
const GONE = [404, 410, 422]; // There is no such board or public player, whyever.
const AWAY = "Mahjic can\u2019t be reached right now.";

// The custom properties are for the page: each color can be its own. Otherwise they follow its
// color scheme, light where it says nothing.
const STYLE = `
  :host {
    --_background: var(--mahjic-background, light-dark(#fffdf7, #1d2b25));
    --_text: var(--mahjic-text, light-dark(#1a211e, #f2efe5));
    --_soft: var(--mahjic-soft, light-dark(#4a544e, #bcc7bf));
    --_accent: var(--mahjic-accent, light-dark(#0b5a41, #7fd6b0));
    --_line: var(--mahjic-line, light-dark(#7c7666, #8fa096));
    --_wrong: var(--mahjic-wrong, light-dark(#9d1c22, #ff9d97));
    display: block; container-type: inline-size; line-height: 1.4; text-align: start;
    color: var(--_text); background: var(--_background); overflow-wrap: anywhere;
  }
  :host([hidden]), [hidden] { display: none !important; }
  * { box-sizing: border-box; }
  div[part="box"] { padding: .75em; }
  p, dl { margin: 0 0 .6em; }
  a { color: var(--_accent); display: inline-block; padding-block: .35em; }
  :focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
  table { width: 100%; border-collapse: collapse; margin-bottom: .6em; }
  caption { text-align: start; font-weight: bold; padding-bottom: .3em; }
  th, td { padding: .25em .4em; text-align: start; border-bottom: 1px solid var(--_line); }
  thead th { color: var(--_soft); overflow-wrap: normal; }
  tbody th { font-weight: normal; }
  .num { text-align: end; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
  [part="note"], [part="id"], dt { color: var(--_soft); }
  [part="note"]:empty { margin: 0; }
  [part="name"], dd { font-weight: bold; }
  dl, .numbers { display: flex; flex-wrap: wrap; gap: .4em 1.5em; }
  dd { margin: 0; }
  [part="rating"] { font-size: 1.6em; line-height: 1.1; }
  fieldset { border: 1px solid var(--_line); margin: 0 0 .6em; padding: .4em .75em .75em; min-width: 0; }
  .numbers > div { flex: 1 1 6em; }
  label { display: block; }
  input, select, button {
    font: inherit; color: inherit; background: transparent; width: 100%; min-height: 2.75em;
    padding: .3em .6em; border: 2px solid var(--_line); border-radius: 6px;
  }
  option { color: #000; background: #fff; }
  button { width: auto; border-color: var(--_accent); color: var(--_accent); cursor: pointer; }
  .wrong { color: var(--_wrong); margin: .2em 0 0; }
  @container (width < 22em) { .opt { display: none; } }
`;
const SHEET = new CSSStyleSheet();
SHEET.replaceSync(STYLE);

/**
 * What became of a question: the answer and how old it is, null if there is nobody, or nothing at
 * all while the service is away.
 * @typedef {{ answer: any, ageMs: number } | null | undefined} Told
 */

/** Shows one answer of the service, and again whenever an attribute of it changes. */
class Shown extends HTMLElement {
  #turn = 0;
  #isDue = false;
  #content = make("div", "content");
  // It stays where it is, so that its words are heard when they change.
  #note = make("p", "note");

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHEET];
    this.#note.setAttribute("role", "status");
    root.append(make("div", "box", this.#content, this.#note));
  }

  connectedCallback() {
    this.#refresh();
  }

  attributeChangedCallback() {
    this.#refresh();
  }

  // Several attributes that change together are one change.
  #refresh() {
    if (!this.#isDue) {
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        if (this.isConnected) this.#show();
      });
    }
  }

  async #show() {
    this.#turn += 1;
    const turn = this.#turn;
    if (!this.#content.hasChildNodes()) this.#put("Loading \u2026");
    const told = await read(this.path);
    if (turn !== this.#turn) return; // Something else is asked for meanwhile.
    if (told) {
      this.#put(
        told.ageMs ? `${AWAY} These numbers are ${ageWords(told.ageMs)} old.` : "",
        told.answer,
      );
    } else {
      this.#put(told === null ? this.nobody : AWAY);
    }
  }

  /**
   * @param {string} note
   * @param {any} [answer]
   */
  #put(note, answer) {
    this.#note.textContent = note;
    this.#content.replaceChildren(...(answer ? this.parts(answer) : []));
  }

  /** The address that is asked. */
  get path() {
    return "";
  }

  /** What is said if there is nobody. */
  get nobody() {
    return "";
  }

  /**
   * What is shown of an answer.
   * @param {any} _answer
   * @returns {Node[]}
   */
  parts(_answer) {
    return [];
  }
}

class Leaderboard extends Shown {
  static observedAttributes = ["source", "limit"];

  get path() {
    const source = this.#source;
    const board = source ? `sources/${source}/leaderboard` : "leaderboard";
    const asked = Number.parseInt(this.getAttribute("limit") ?? "", 10);
    const rows = asked > 0 ? Math.min(asked, ROWS_MAX) : ROWS_DEFAULT;
    return `/v1/${board}?limit=${rows}`;
  }

  get nobody() {
    return "We can\u2019t find this club on Mahjic.";
  }

  get #source() {
    return encodeURIComponent(this.getAttribute("source")?.trim() ?? "");
  }

  /** @param {any} board */
  parts(board) {
    const whole = this.#source ? `/sources/${this.#source}` : "/leaderboard";
    const more = make("p", "", link(whole, "link", "See the whole board on Mahjic"));
    if (!board.players.length) {
      const first = `The first players get here after ${board.min_games} Verified games.`;
      return [make("p", "text", `Nobody is on this board yet. ${first}`), more];
    }
    const columns = [cell("th", "", "Place"), cell("th", "", "Player")];
    columns.push(cell("th", "num", "Rating"), cell("th", "num opt", "Games"));
    for (const each of columns) each.setAttribute("scope", "col");
    const rows = board.players.map((/** @type {any} */ each) => {
      const player = cell("th", "", playerLink(each));
      player.setAttribute("scope", "row");
      const rating = cell("td", "num", ratingWords(each.verified_rating));
      rating.setAttribute("part", "rating-in-row");
      return make(
        "tr",
        "row",
        cell("td", "", number(each.place)),
        player,
        rating,
        cell("td", "num opt", number(each.verified_games)),
      );
    });
    const table = make("table", "table", make("caption", "title", "Leaderboard"));
    table.append(make("thead", "", make("tr", "", ...columns)), make("tbody", "", ...rows));
    return [table, more];
  }
}

class Player extends Shown {
  static observedAttributes = ["id"];

  get path() {
    return `/v1/players/${encodeURIComponent(this.id.trim() || "-")}`;
  }

  get nobody() {
    return "No public player has this Mahjic ID.";
  }

  /** @param {any} player */
  parts(player) {
    const own = player.name === player.player_id ? "" : `${player.player_id} \u00b7 `;
    const facts = [
      fact("Rating", "rating", ratingWords(player.rating)),
      fact("Level", "level", player.band),
      fact("Games", "games", number(player.games)),
    ];
    if (player.global_rank) facts.push(fact("Place", "place", number(player.global_rank)));
    return [
      make("p", "name", playerLink(player)),
      make("p", "id", own + (player.is_verified ? "Verified" : "Provisional")),
      make("dl", "facts", ...facts),
    ];
  }
}

class Calculator extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [SHEET];
  }

  async connectedCallback() {
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    if (root.hasChildNodes()) return;
    const box = make("div", "box");
    root.append(box);
    try {
      const { calculatorForm } = await import("./embed-calculator.js");
      box.append(calculatorForm(make));
    } catch {
      const there = link("/embed/calculator", "link", "Open it on Mahjic");
      box.append(make("p", "note", "The calculator can\u2019t be shown here right now. ", there));
    }
  }
}

/**
 * Ask the service; while it is away, return what this browser keeps of its last answer.
 * @param {string} path
 * @returns {Promise<Told>}
 */
async function read(path) {
  try {
    const answer = await fetch(HOME + path, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(WAIT_MS_MAX),
    });
    if (GONE.includes(answer.status)) {
      forget(path);
      return null;
    }
    if (answer.ok) {
      const told = await answer.json();
      keep(path, told);
      return { answer: told, ageMs: 0 };
    }
  } catch {
    // No network, or no service: what follows is for that.
  }
  return kept(path);
}

/**
 * @param {string} path
 * @param {unknown} answer
 */
function keep(path, answer) {
  stored((storage) => storage.setItem(KEPT + path, JSON.stringify({ at: Date.now(), answer })));
}

/** @param {string} path */
function forget(path) {
  stored((storage) => storage.removeItem(KEPT + path));
}

/**
 * Return the answer that this browser keeps, unless it is older than a day, or from the future.
 * @param {string} path
 * @returns {Told}
 */
function kept(path) {
  return stored((storage) => {
    const { at, answer } = JSON.parse(storage.getItem(KEPT + path) ?? "{}");
    const ageMs = Date.now() - at;
    if (ageMs >= 0 && ageMs <= KEPT_MS_MAX) return { answer, ageMs: ageMs || 1 };
    storage.removeItem(KEPT + path);
    return undefined;
  });
}

/** Drop everything that is too old, whichever page of this site kept it. */
function forgetOld() {
  stored((storage) => {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(KEPT)) kept(key.slice(KEPT.length));
    }
  });
}

/**
 * Use the storage of the browser: a page in a sandbox has none, and it may be full.
 * @template T
 * @param {(storage: Storage) => T} use
 * @returns {T | undefined}
 */
function stored(use) {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}

/**
 * Return an element; texts stay texts.
 * @param {string} name
 * @param {string} part
 * @param {(Node | string)[]} children
 */
function make(name, part, ...children) {
  const made = document.createElement(name);
  if (part) made.setAttribute("part", part);
  made.append(...children);
  return made;
}

/**
 * @param {string} name
 * @param {string} look
 * @param {Node | string} content
 */
function cell(name, look, content) {
  const made = make(name, "", content);
  made.className = look;
  return made;
}

/**
 * @param {string} words
 * @param {string} part
 * @param {string} value
 */
function fact(words, part, value) {
  return make("div", "", make("dt", "", words), make("dd", part, value));
}

/** @param {{ player_id: string, name: string }} player */
function playerLink({ player_id, name }) {
  return link(`/players/${encodeURIComponent(player_id)}`, "link", make("bdi", "", name));
}

/**
 * @param {string} path
 * @param {string} part
 * @param {Node | string} content
 */
function link(path, part, content) {
  const made = /** @type {HTMLAnchorElement} */ (make("a", part, content));
  made.href = HOME + path;
  made.rel = "noopener";
  if (window !== window.top) made.target = "_blank"; // No page of Mahjic opens in a frame.
  return made;
}

/** @param {number} whole */
function number(whole) {
  return whole.toLocaleString("en-US");
}

/**
 * Return a rating without decimals; halves go to the even number, as on the site.
 * @param {number} rating
 */
function ratingWords(rating) {
  const below = Math.floor(rating);
  const isUp = rating - below > 0.5 || (rating - below === 0.5 && below % 2 !== 0);
  return String(isUp ? below + 1 : below);
}

/** @param {number} ageMs */
function ageWords(ageMs) {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return "less than a minute";
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : [Math.floor(minutes / 60), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

forgetOld();
for (const [name, element] of /** @type {[string, CustomElementConstructor][]} */ ([
  ["mahjic-leaderboard", Leaderboard],
  ["mahjic-player", Player],
  ["mahjic-calculator", Calculator],
])) {
  if (!customElements.get(name)) customElements.define(name, element);
}
