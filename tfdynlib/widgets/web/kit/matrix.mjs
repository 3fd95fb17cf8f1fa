// Matrix editors: cells to drag or type over, eigenvalues on a line, heads as tabs.

import { h, newId, number, parseNumber, plain, rich } from "./dom.mjs";
import { surface } from "./stage.mjs";
import { label } from "./text.mjs";
import { eigenvalues } from "../twin/linalg.mjs";

const LIMIT = 10;
const PER_PIXEL = 0.02;
const STEP = 0.05;

const clamp = (v) => Math.min(LIMIT, Math.max(-LIMIT, v));
const tidy = (v) => Number(clamp(Math.round(v / STEP) * STEP).toFixed(2)) + 0;

/** A number with three digits, or with as many as `room` letters hold. */
function fitting(value, room) {
  const texts = [3, 2, 1].map((digits) => number(value, digits));
  return texts.find((text) => text.length <= room) ?? texts.at(-1);
}

/** One cell: drag sideways, click to type, arrow keys.  `room` is in letters. */
export function cell(card, { name, get, put, room = 7 }) {
  const box = h("input", {
    type: "text",
    inputmode: "text",
    class: "tfdyn-cell",
    "aria-label": name,
    autocomplete: "off",
    spellcheck: "false",
  });
  const bar = h("span", { class: "tfdyn-bar", "aria-hidden": "true" });
  const node = h("span", { class: "tfdyn-cell-box" }, box, bar);

  function show() {
    const value = get();
    if (!Number.isFinite(value)) return;
    if (document.activeElement !== box || box.dataset.typing === undefined)
      box.value = fitting(value, room);
    bar.style.setProperty("--tfdyn-value", String(Math.max(-1, Math.min(1, value / 3))));
    bar.classList.toggle("tfdyn-zero", value === 0);
  }
  const change = (value) => {
    put(clamp(value));
    show();
  };
  const commit = card.guard(() => {
    delete box.dataset.typing;
    const typed = parseNumber(box.value);
    if (Number.isFinite(typed)) change(typed);
    show();
    card.speak();
  });
  box.addEventListener("input", () => {
    box.dataset.typing = "";
  });
  box.addEventListener("change", commit);
  box.addEventListener("blur", () => {
    delete box.dataset.typing;
    show();
  });
  box.addEventListener(
    "keydown",
    card.guard((event) => {
      if (event.key === "Escape") {
        delete box.dataset.typing;
        show();
      }
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      event.preventDefault();
      delete box.dataset.typing;
      const by = (event.shiftKey ? 1 : 0.1) * (event.key === "ArrowUp" ? 1 : -1);
      change(Number((get() + by).toFixed(4)));
      box.select();
    }),
  );
  dragCell(card, box, get, change);
  return { node, show };
}

function dragCell(card, box, get, change) {
  let from = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.button === 0) from = { x: event.clientX, value: get(), moved: false };
  });
  box.addEventListener(
    "pointermove",
    card.guard((event) => {
      if (!from) return;
      const way = event.clientX - from.x;
      if (!from.moved && Math.abs(way) < 4) return;
      if (!from.moved) {
        from.moved = true;
        box.setPointerCapture(event.pointerId);
        box.classList.add("tfdyn-dragging");
        delete box.dataset.typing;
      }
      event.preventDefault();
      const value = from.value + way * PER_PIXEL;
      change(Math.abs(value) < 1.5 * STEP ? 0 : tidy(value)); // sticks at 0
    }),
  );
  const release = card.guard(() => {
    if (from?.moved) {
      box.classList.remove("tfdyn-dragging");
      box.blur();
      card.speak();
    } else if (from) box.select();
    from = null;
  });
  box.addEventListener("pointerup", release);
  box.addEventListener("pointercancel", release);
}

const REACH = 3;

function drawEigenvalues(ctx, view, values) {
  const p = view.palette;
  const half = view.w / 2 - 14;
  const x = (v) => view.w / 2 + (Math.max(-REACH, Math.min(REACH, v)) / REACH) * half;
  const y = 14.5;
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x(-REACH), y);
  ctx.lineTo(x(REACH), y);
  for (const tick of [-2, 0, 2]) {
    ctx.moveTo(Math.round(x(tick)) + 0.5, y - (tick === 0 ? 5 : 3));
    ctx.lineTo(Math.round(x(tick)) + 0.5, y + (tick === 0 ? 5 : 3));
  }
  ctx.stroke();
  for (const tick of [-2, 0, 2])
    label(ctx, number(tick), x(tick), y + 15, p, { size: 11, color: p.mut, align: "center" });
  const placed = new Map();
  for (const { re, im } of values) {
    const column = Math.round(re * 20);
    const level = placed.get(column) ?? 0;
    if (im === 0) placed.set(column, level + 1);
    const up = im === 0 ? level * 4 : Math.max(-9, Math.min(9, im * 5));
    eigenvalueDot(ctx, p, x(re), y - up, re > 1e-12);
  }
}

function eigenvalueDot(ctx, p, x, y, filled) {
  ctx.beginPath();
  ctx.arc(x, y, 4.4, 0, 2 * Math.PI);
  ctx.fillStyle = filled ? p.ink : p.bg;
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1.6;
  ctx.fill();
  ctx.stroke();
}

function heard(values) {
  const one = ({ re, im }) =>
    im === 0
      ? number(re, 3)
      : `${number(re, 3)} ${im < 0 ? "minus" : "plus"} ${number(Math.abs(im), 3)} i`;
  return `Eigenvalues ${values.map(one).join(", ")}.`;
}

/** Editor of one matrix: `get()` gives rows, `put(i, j, value)` changes one cell. */
function editor(card, { letter, words, size, get, put }) {
  const cells = [];
  const grid = h("div", { class: "tfdyn-matrix", style: `--tfdyn-size: ${size}` });
  for (let i = 0; i < size; i += 1)
    for (let j = 0; j < size; j += 1) {
      const one = cell(card, {
        name: `${letter}, row ${i + 1}, column ${j + 1}`,
        room: size > 2 ? 5 : 7,
        get: () => get()?.[i]?.[j],
        put: (value) => put(i, j, value),
      });
      cells.push(one);
      grid.append(one.node);
    }
  let values = [];
  const line = surface(card, {
    label: `Number line of the eigenvalues of ${letter}.`,
    className: "tfdyn-eigen",
    draw: (ctx, view) => drawEigenvalues(ctx, view, values),
  });
  const node = h(
    "div",
    { class: "tfdyn-editor", role: "group", "aria-label": `${letter}, ${plain(words)}` },
    h(
      "div",
      { class: "tfdyn-editor-name" },
      h("i", {}, letter),
      " ",
      h("span", { class: "tfdyn-words" }, ...rich(words)),
    ),
    grid,
    line.canvas,
  );
  return {
    node,
    show() {
      const rows = get();
      if (!rows) return;
      for (const one of cells) one.show();
      values = eigenvalues(rows.flat());
      line.say(heard(values));
      line.invalidate();
    },
  };
}

const copy = (value) => JSON.parse(JSON.stringify(value));

/** A row of tabs, one a head, with buttons to add and remove outside the tablist. */
function headTabs(card, { count, limit, select, add, remove, panel }) {
  const list = h("div", { role: "tablist", "aria-label": "Heads", class: "tfdyn-tablist" });
  const plus = h("button", { type: "button", class: "tfdyn-tool", "aria-label": "Add a head" }, "+");
  const minus = h(
    "button",
    { type: "button", class: "tfdyn-tool", "aria-label": "Remove this head" },
    "−",
  );
  plus.onclick = card.guard(add);
  minus.onclick = card.guard(remove);

  function choose(index, focus) {
    select(index);
    if (focus) list.children[index]?.focus();
  }
  function tab(index, chosen) {
    const node = h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tfdyn-tab",
        id: `${panel}-tab-${index}`,
        "aria-controls": panel,
        "aria-selected": String(index === chosen),
        tabindex: index === chosen ? "0" : "-1",
      },
      `Head ${index + 1}`,
    );
    node.onclick = card.guard(() => choose(index, true));
    node.onkeydown = card.guard((event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to =
        event.key === "Home" ? 0 : event.key === "End" ? count() - 1 : by && index + by;
      if (to === undefined) return;
      event.preventDefault();
      choose((to + count()) % count(), true);
    });
    return node;
  }
  return {
    node: h("div", { class: "tfdyn-tabs" }, list, plus, minus),
    show(chosen) {
      const held = list.contains(document.activeElement);
      list.replaceChildren(...Array.from({ length: count() }, (_, k) => tab(k, chosen)));
      if (held) list.children[chosen]?.focus();
      plus.hidden = count() >= limit;
      minus.hidden = count() <= 1;
    },
  };
}

/**
 * Editors for the matrices `keys`, side by side.  With `heads` > 1 each key holds a
 * list of matrices, one a head, and tabs choose the head; with 1 it holds one matrix.
 * `letters` are what the matrices are called, if not by their keys.
 */
export function matrices(card, { keys, names, letters = keys, heads = 1, size = 3 }) {
  let chosen = 0;
  const many = heads > 1;
  const panel = newId("heads");
  const count = () => (many ? Math.min(...keys.map((key) => card.get(key).length)) : 1);
  const write = (change) => {
    const next = {};
    for (const key of keys) {
      next[key] = copy(card.get(key));
      change(next[key], key);
    }
    card.set(next);
    card.speak();
  };
  const editors = keys.map((key, k) =>
    editor(card, {
      letter: letters[k],
      words: names[k],
      size,
      get: () => (many ? card.get(key)[chosen] : card.get(key)),
      put(i, j, value) {
        const next = copy(card.get(key));
        (many ? next[chosen] : next)[i][j] = value;
        card.set({ [key]: next });
      },
    }),
  );
  const tabs =
    many &&
    headTabs(card, {
      count,
      limit: heads,
      panel,
      select(index) {
        chosen = index;
        show();
      },
      add() {
        const from = chosen;
        chosen = count();
        const full = chosen; // lists may differ in length while Python sets one by one
        write((list) => list.splice(full, Infinity, copy(list[from])));
      },
      remove() {
        const gone = chosen;
        chosen = Math.max(0, chosen - 1);
        write((list) => list.splice(gone, 1));
      },
    });
  const pair = h(
    "div",
    {
      class: "tfdyn-editors",
      id: panel,
      role: many ? "tabpanel" : "group",
      "aria-label": many ? undefined : "Matrices",
    },
    ...editors.map((one) => one.node),
  );
  function show() {
    chosen = Math.min(chosen, count() - 1);
    if (many) {
      tabs.show(chosen);
      pair.setAttribute("aria-labelledby", `${panel}-tab-${chosen}`);
    }
    for (const one of editors) one.show();
  }
  card.on(keys, show);
  show();
  return h("div", { class: "tfdyn-heads" }, many ? tabs.node : null, pair);
}
