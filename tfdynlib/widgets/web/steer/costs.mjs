// What each method pays, beside the least that tokens can.

import { h, rich, setRich } from "../kit/dom.mjs";
import { cost, NAMES } from "./words.mjs";
import { METHODS } from "./run.mjs";

const cell = (role, ...children) => h("span", { role }, ...children);

function bar(marked) {
  const number = h("span", {}, "…");
  const line = h("span", { class: marked ? "tfdyn-cost-bar tfdyn-cost-least" : "tfdyn-cost-bar", "aria-hidden": "true" });
  return { node: h("span", { role: "cell", class: "tfdyn-cost" }, number, line), number, line };
}

/** { node, show(run) }: a row for each method, and one for the least. */
export function costs() {
  const rows = METHODS.map((name) => {
    const [kinetic, weight] = [bar(true), bar(false)];
    const node = h("div", { role: "row" }, cell("rowheader", NAMES[name]), kinetic.node, weight.node);
    return { name, node, kinetic, weight };
  });
  const least = h("span", { role: "cell", class: "tfdyn-theory" }, "…");
  const head = h("div", { role: "row", class: "tfdyn-costs-head" },
    cell("columnheader", "what it pays"), cell("columnheader", "kinetic cost"), cell("columnheader", "weight cost"));
  const foot = h("div", { role: "row" },
    h("span", { role: "rowheader", class: "tfdyn-theory" }, ...rich("least, *W*_2^2/*T*")), least, cell("cell", ""));
  const node = h("div", { class: "tfdyn-costs", role: "table", "aria-label": "What each method pays" },
    head, ...rows.map((row) => row.node), foot);
  return {
    node,
    show(run) {
      const paid = METHODS.map((name) => run.costs[name]).filter(Boolean);
      const top = (key) => Math.max(...paid.map((one) => one[key]), key === "kinetic" ? run.least : 0) || 1;
      for (const row of rows) {
        const one = run.costs[row.name];
        row.node.classList.toggle("tfdyn-chosen", row.name === run.method);
        for (const key of ["kinetic", "weight"]) {
          row[key].line.hidden = !one;
          setRich(row[key].number, one ? cost(one[key]) : "–");
          row[key].line.style.setProperty("--tfdyn-share", String(one ? one[key] / top(key) : 0));
        }
        row.kinetic.line.style.setProperty("--tfdyn-least", String(run.least / top("kinetic")));
      }
      setRich(least, cost(run.least));
    },
  };
}
