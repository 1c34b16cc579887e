// The form of <mahjic-calculator>, with the formula: embed.js fetches it where one is shown.

import { decimalOf, FIELDS, workOut } from "./made-up.js";

/** @typedef {import("./formula.js").GameType} GameType */
/** @typedef {(name: string, part: string, ...children: (Node | string)[]) => HTMLElement} Make */

const NUMBER = "Write a whole number, 0 or more.";
/** @type {Record<string, [string, string]>} What each field is called, and what is wrong with it. */
const WORDS = {
  rating: ["Rating", "Write a number like 1500 or 1487.25."],
  games: ["Games before", NUMBER],
  won: ["Won", NUMBER],
  points: ["Points", "Write a number like 125 or -50."],
};
const HINT =
  "For fewer than four players, leave a rating empty. Bob, who fills an empty seat, has 1500 and " +
  "0 games.";
const KINDS = [
  ["league", "League: points count"],
  ["social", "Social: open play, lessons"],
  ["tournament", "Tournament: points count"],
];
// As on the page of the formula.
const PLAYERS = [
  { name: "Alice", typed: ["1600", "140", "2", "125"] },
  { name: "Bea", typed: ["1550", "52", "2", "80"] },
  { name: "Carol", typed: ["1500", "12", "1", "45"] },
  { name: "Dave", typed: ["1450", "0", "0", "-250"] },
];

/**
 * Return the form, with what the round in it does.
 * @param {Make} make
 */
export function calculatorForm(make) {
  const form = /** @type {HTMLFormElement} */ (make("form", "form"));
  form.autocomplete = "off";
  form.setAttribute("aria-label", "Rating calculator");
  const kind = /** @type {HTMLSelectElement} */ (make("select", "field"));
  kind.append(...KINDS.map(([value = "", words = ""]) => new Option(words, value)));
  const players = PLAYERS.map((player) => fieldsOf(make, player));
  const told = make("div", "moves");
  told.setAttribute("role", "status");
  // In a sandbox nothing may be submitted.
  const press = /** @type {HTMLButtonElement} */ (make("button", "button", "Work it out"));
  press.type = "button";
  form.append(
    make("p", "", labeled(make, kind, "Kind of game", "kind")),
    ...players.map(({ group }) => group),
    make("p", "note", HINT),
    make("p", "", press),
    told,
  );
  const show = () => {
    const gameType = /** @type {GameType} */ (kind.value);
    const fields = players.map(({ fields }) => fields);
    const typed = fields.map((ofPlayer) => ofPlayer.map(({ input }) => input.value));
    const round = workOut(typed, gameType);
    fields.forEach((ofPlayer, place) => {
      ofPlayer.forEach((field, at) => {
        field.mark(round.numbers[place]?.[at] === null);
      });
      const points = ofPlayer.at(-1);
      if (points) points.around.hidden = gameType === "social";
    });
    told.replaceChildren(movesOf(make, round));
  };
  form.addEventListener("change", show);
  press.addEventListener("click", show);
  show();
  return form;
}

/**
 * @param {Make} make
 * @param {{ name: string, typed: string[] }} player
 */
function fieldsOf(make, { name, typed }) {
  const fields = FIELDS.map((field, at) => {
    const [words, fault] = WORDS[field.name] ?? ["", ""];
    const input = /** @type {HTMLInputElement} */ (make("input", "field"));
    input.value = typed[at] ?? "";
    if (field.places === 0) input.inputMode = "numeric";
    const id = `${field.name}-${name}`;
    const wrong = make("p", "wrong", fault);
    wrong.className = "wrong";
    wrong.id = `${id}-wrong`;
    const around = make("div", "", labeled(make, input, words, id), wrong);
    const mark = (/** @type {boolean} */ isWrong) => {
      wrong.hidden = !isWrong;
      input.setAttribute("aria-invalid", String(isWrong));
      if (isWrong) input.setAttribute("aria-describedby", wrong.id);
      else input.removeAttribute("aria-describedby");
    };
    return { input, around, mark };
  });
  const numbers = make("div", "", ...fields.map(({ around }) => around));
  numbers.className = "numbers";
  return { group: make("fieldset", "player", make("legend", "", name), numbers), fields };
}

/**
 * Return a field with its label before it.
 * @param {Make} make
 * @param {HTMLElement} field
 * @param {string} words
 * @param {string} id
 */
function labeled(make, field, words, id) {
  field.id = id;
  const label = /** @type {HTMLLabelElement} */ (make("label", "label", words));
  label.htmlFor = id;
  const both = document.createDocumentFragment();
  both.append(label, field);
  return both;
}

/**
 * @param {Make} make
 * @param {import("./made-up.js").MadeUp} round
 */
function movesOf(make, { isWrong, isRated, moves }) {
  if (!isRated) {
    const words = isWrong
      ? "Correct what is marked above, and the changes appear here."
      : "A round takes at least two players. Fill in one more rating.";
    return make("p", "note", words);
  }
  const cell = (/** @type {string} */ words, look = "num") => {
    const made = make(look === "num" ? "td" : "th", "", words);
    made.className = look;
    return made;
  };
  const heads = [cell("Player", "head"), cell("Change", "head num"), cell("After", "head num")];
  for (const each of heads) each.setAttribute("scope", "col");
  const rows = moves.flatMap((move, place) => {
    if (!move) return [];
    const name = cell(PLAYERS[place]?.name ?? "", "head");
    name.setAttribute("scope", "row");
    const numbers = [decimalOf(move.change, true), decimalOf(move.after, false)];
    return [make("tr", "row", name, ...numbers.map((each) => cell(each)))];
  });
  const table = make("table", "table", make("caption", "title", "What this round does"));
  table.append(make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows));
  return table;
}
