// Pieces of the lines of Python that a figure prints.

/** Parts, some of them lists of lines, as one text. */
export const lines = (...parts) => parts.flat().join("\n");

/** A number, or nested lists of them, as Python reads it. */
export const literal = (value) =>
  Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : String(value);

/** Whether a matrix has nothing beside its diagonal. */
export const isDiagonal = (rows) => rows.every((row, i) => row.every((v, j) => i === j || v === 0));
