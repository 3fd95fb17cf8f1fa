// Editors of vectors: one column of cells in brackets, as the matrix editors have them.

import { h, plain, rich } from "./dom.mjs";
import { cell } from "./matrix.mjs";

/** An editor of the vector under `key`; `letter` and `words` are its name. */
export function vector(card, { key, letter = key, words, size = 2 }) {
  const cells = Array.from({ length: size }, (_, i) =>
    cell(card, {
      name: `${letter}, entry ${i + 1}`,
      get: () => card.get(key)?.[i],
      put(value) {
        card.set({ [key]: card.get(key).map((v, k) => (k === i ? value : v)) });
      },
    }),
  );
  const show = () => cells.forEach((one) => one.show());
  card.on([key], show);
  show();
  return h(
    "div",
    { class: "tfdyn-editor tfdyn-editor-vector", role: "group", "aria-label": `${letter}, ${plain(words)}` },
    h(
      "div",
      { class: "tfdyn-editor-name" },
      h("i", {}, letter),
      " ",
      h("span", { class: "tfdyn-words" }, ...rich(words)),
    ),
    h("div", { class: "tfdyn-matrix", style: "--tfdyn-size: 1" }, ...cells.map((one) => one.node)),
  );
}
