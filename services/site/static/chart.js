/**
 * Lets people go through the ratings of a chart one by one, with arrow keys or a finger.
 *
 * The chart is a picture, and its table holds every number. This adds a slider that tells each row
 * of the table and shows where it is in the chart. Without it nothing is missing.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * One row of the table: what it says in words, and the rating of each line, if it has one there.
 * @typedef {{ words: string, ratings: (number | null)[] }} Reading
 */

/**
 * Where ratings stand in a chart: its box, its lowest and highest rating, and how many slots it has.
 * @typedef {object} Scale
 * @property {number} left
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {number} low
 * @property {number} high
 * @property {number} slots
 */

/**
 * Return where a rating stands.
 * @param {Scale} scale
 * @param {number} slot
 * @param {number} rating
 * @returns {{ x: number, y: number }}
 */
export function spotOf(scale, slot, rating) {
  const { left, top, right, bottom, low, high, slots } = scale;
  const x = slots > 1 ? left + (slot * (right - left)) / (slots - 1) : right;
  return { x, y: top + ((high - rating) * (bottom - top)) / (high - low) };
}

/**
 * Return the slot nearest to a place in a chart.
 * @param {Scale} scale
 * @param {number} x
 * @returns {number}
 */
export function slotAt(scale, x) {
  const { left, right, slots } = scale;
  const slot = Math.round(((x - left) / (right - left)) * (slots - 1));
  return Math.max(0, Math.min(slot, slots - 1));
}

/**
 * Return a row in words: "Jan 31, 2026: 1753, up 21".
 * @param {string} day
 * @param {{ name: string, rating: string, moved: string }[]} cells Those that have a rating.
 * @param {string} what Said unless it is empty: for corrections, and what they took back.
 * @param {boolean} named Whether there are two lines, so that each rating needs its name.
 * @returns {string}
 */
export function wordsOf(day, cells, what, named) {
  const told = cells.map(({ name, rating, moved }) => {
    const said = moved ? `${rating}, ${moved}` : rating;
    return named ? `${name} ${said}` : said;
  });
  return `${day}: ${told.join("; ")}${what ? `. ${what}` : ""}`;
}

/**
 * @param {Element} row
 * @param {string[]} names
 * @returns {Reading}
 */
function readingOf(row, names) {
  const text = (/** @type {Element | null} */ of) => of?.textContent?.trim() ?? "";
  const cells = [...row.querySelectorAll(".num")].map((cell, at) => ({
    name: names[at] ?? "",
    rating: text(cell.firstElementChild),
    moved: text(cell.lastElementChild),
  }));
  const ratings = cells.map(({ rating }) => (rating ? Number(rating.replace("−", "-")) : null));
  const said = cells.filter(({ rating }) => rating);
  const what = row.lastElementChild?.hasAttribute("data-said") ? text(row.lastElementChild) : "";
  return { words: wordsOf(text(row.firstElementChild), said, what, names.length > 1), ratings };
}

/**
 * @param {SVGSVGElement} chart
 * @returns {Scale}
 */
function scaleOf(chart) {
  const numbers = (/** @type {string | undefined} */ text) => (text ?? "").split(" ").map(Number);
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers(chart.dataset.box);
  const [low = 0, high = 1] = numbers(chart.dataset.ratings);
  return { left, top, right, bottom, low, high, slots: Number(chart.dataset.slots) };
}

/**
 * Put a ring for each line into a chart, and return what moves them to a slot.
 * @param {SVGSVGElement} chart
 * @returns {(slot: number, reading: Reading) => void}
 */
function addRings(chart) {
  const scale = scaleOf(chart);
  const rings = [...chart.querySelectorAll(".series")].map((line) => {
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("class", "reading");
    ring.setAttribute("r", "10");
    line.append(ring);
    return ring;
  });
  return (slot, { ratings }) => {
    for (const [at, ring] of rings.entries()) {
      const rating = ratings[at] ?? null;
      ring.setAttribute("visibility", rating === null ? "hidden" : "visible");
      if (rating !== null) {
        const { x, y } = spotOf(scale, slot, rating);
        ring.setAttribute("cx", x.toFixed(1));
        ring.setAttribute("cy", y.toFixed(1));
      }
    }
  };
}

/**
 * Return a slider with its label and the words for where it stands.
 * @param {string} id
 * @param {string} name
 * @param {number} last
 */
function sliderOf(id, name, last) {
  const label = document.createElement("label");
  const slider = document.createElement("input");
  const output = document.createElement("output");
  Object.assign(slider, { type: "range", id, min: "0", max: `${last}`, value: `${last}` });
  Object.assign(label, { htmlFor: id, textContent: name });
  // The slider says the same words itself. They would be read twice.
  output.setAttribute("aria-live", "off");
  output.setAttribute("for", id);
  return { label, slider, output };
}

/**
 * Make a chart readable point by point.
 * @param {HTMLElement} figure
 * @param {HTMLTableElement} table
 */
function enhance(figure, table) {
  const names = [...table.querySelectorAll("thead .num")].map((each) => each.textContent ?? "");
  const rows = [...table.querySelectorAll("tbody tr")];
  const last = rows.length - 1;
  if (last < 1) {
    return;
  }
  const charts = /** @type {SVGSVGElement[]} */ ([...figure.querySelectorAll("svg.chart")]);
  const moves = charts.map(addRings);
  // The ratings before the first session stand to the left of all rows.
  const first = Number(charts[0]?.dataset.slots) - rows.length;
  const name = table.dataset.reader ?? "";
  const { label, slider, output } = sliderOf(`${figure.id}-reader`, name, last);

  const show = () => {
    const row = rows[slider.valueAsNumber];
    if (row) {
      const reading = readingOf(row, names);
      slider.setAttribute("aria-valuetext", reading.words);
      output.textContent = reading.words;
      for (const move of moves) {
        move(slider.valueAsNumber + first, reading);
      }
    }
  };
  slider.addEventListener("input", show);
  for (const chart of charts) {
    chart.addEventListener("pointermove", (event) => {
      const { left, width } = chart.getBoundingClientRect();
      const x = ((event.clientX - left) / width) * chart.viewBox.baseVal.width;
      slider.valueAsNumber = slotAt(scaleOf(chart), x) - first;
      show();
    });
  }
  const reader = document.createElement("div");
  reader.className = "chart-reader";
  reader.append(label, slider, output);
  figure.append(reader);
  show();
}

if (typeof document !== "undefined") {
  for (const table of document.querySelectorAll("table[data-chart]")) {
    if (table instanceof HTMLTableElement) {
      const figure = document.getElementById(table.dataset.chart ?? "");
      if (figure) {
        enhance(figure, table);
      }
    }
  }
}
