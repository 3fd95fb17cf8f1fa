// Lamps for hypotheses, three readouts, and the verdict.

import { h, icon, rich, setRich } from "./dom.mjs";

/** The state of a lamp from a fact: true, false, or null where nothing is known. */
export const lampState = (fact) => (fact === null ? "unasked" : fact ? "holds" : "fails");

const WORDS = { holds: "holds", fails: "fails", unasked: "not asked" };

/** Lamps under a title.  `set(i, state, detail, name)`; the word is always said. */
export function lamps(title, names) {
  const items = names.map((name) => {
    const mark = h("span", { class: "tfdyn-mark" });
    const text = h("span", { class: "tfdyn-lamp-name" }, ...rich(name));
    const word = h("b", {});
    const detail = h("span", { class: "tfdyn-detail" });
    const node = h("li", { class: "tfdyn-lamp" }, mark, h("span", {}, text, " ", word, detail));
    return { node, mark, text, word, detail, state: "" };
  });
  const list = h("ul", { class: "tfdyn-lamps" }, ...items.map((item) => item.node));
  return {
    node: h("div", {}, h("p", { class: "tfdyn-lamps-title" }, ...rich(title)), list),
    set(i, state, detail = "", name = null) {
      const item = items[i];
      if (item.state !== state) {
        item.node.className = `tfdyn-lamp tfdyn-${state}`;
        item.mark.replaceChildren(icon(state));
        item.word.textContent = WORDS[state];
        item.state = state;
      }
      if (name) setRich(item.text, name);
      setRich(item.detail, detail);
    },
    states: () => items.map((item) => item.state),
  };
}

/** Three numbers with their names. */
export function readouts(names) {
  const items = names.map((name) => {
    const title = h("dt", {}, ...rich(name));
    const value = h("dd", {}, "…");
    return { title, value, node: h("div", {}, title, value) };
  });
  return {
    // A list without a class of its own: themes style dl[class] heavily.
    node: h(
      "div",
      { class: "tfdyn-readouts" },
      h("dl", {}, ...items.map((item) => item.node)),
    ),
    set(i, text, tone = "") {
      setRich(items[i].value, text);
      const name = tone ? `tfdyn-${tone}` : "";
      if (items[i].value.className !== name) items[i].value.className = name;
    },
    name: (i, text) => setRich(items[i].title, text),
  };
}

/** A sentence on how it ends, with room for three lines so that nothing jumps. */
export function verdict() {
  const head = h("p", { class: "tfdyn-verdict-head" });
  const text = h("p", { class: "tfdyn-verdict-text" });
  const body = h("div", { class: "tfdyn-verdict" }, head, text);
  const node = h("div", { class: "tfdyn-verdict-box" }, body);
  return {
    node,
    set(title, detail = "", tone = "ink") {
      setRich(head, title);
      setRich(text, detail);
      const name = `tfdyn-verdict tfdyn-tone-${tone}`;
      if (body.className !== name) body.className = name;
      body.hidden = title === "" && detail === "";
    },
  };
}
