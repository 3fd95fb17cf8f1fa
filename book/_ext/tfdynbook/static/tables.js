// Columns that can be sorted: a button in each head of a `<table data-sortable>`.
(() => {
  "use strict";

  const compare = new Intl.Collator("en", { numeric: true }).compare;

  /** Numbers by `data-key`, what is none of them last; all else as text. */
  function order(k, sign) {
    const text = (row) => row.cells[k].textContent.trim();
    const number = (row) => Number(row.cells[k].dataset.key);
    return (a, b) => {
      if (!("key" in a.cells[k].dataset)) return sign * compare(text(a), text(b));
      const [x, y] = [number(a), number(b)];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    };
  }

  function makeSortable(table) {
    const [body] = table.tBodies;
    const rows = [...body.rows]; // equal ones keep the order they came in
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, k) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...[...rows].sort(order(k, down ? -1 : 1)));
      });
    });
  }

  document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
})();
