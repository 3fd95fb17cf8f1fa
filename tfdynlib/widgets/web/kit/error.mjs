// What is left when a figure stops: its title, its still picture, and a way back.

import { h, rich } from "./dom.mjs";

/** Replace what `el` shows by a message; `reload()` is tried on request. */
export function errorCard(el, { title, error, reload }) {
  const message = error instanceof Error ? error.message : String(error);
  const still = el.querySelector(".tfdyn-still");
  const button = h("button", { type: "button", class: "tfdyn-copy" }, "Reload figure");
  button.onclick = reload;
  el.querySelector(".tfdyn-card")?.remove();
  if (still) still.hidden = false;
  const card = h(
    "div",
    { class: "tfdyn-card tfdyn-stopped", role: "group", "aria-label": "Figure, stopped" },
    h(
      "div",
      { class: "tfdyn-error", role: "alert" },
      title ? h("h3", { class: "tfdyn-title" }, ...rich(title)) : null,
      h("p", {}, `This figure stopped: ${message}`),
      button,
    ),
  );
  el.prepend(card);
  el.dataset.tfdyn = "error";
}
