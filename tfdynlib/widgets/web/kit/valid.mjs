// What a state may hold: numbers, vectors and matrices whose entries have a limit.

/** A finite number of size `most` or less. */
export const isNumber = (v, most = 10) => Number.isFinite(v) && Math.abs(v) <= most;

/** A list of d such numbers. */
export const isVector = (v, d, most = 10) =>
  Array.isArray(v) && v.length === d && v.every((x) => isNumber(x, most));

/** d rows of d numbers. */
export const isMatrix = (rows, d) =>
  Array.isArray(rows) && rows.length === d && rows.every((row) => isVector(row, d));

/** The same, equal to its transpose to the last bit. */
export const isSymmetric = (rows, d) =>
  isMatrix(rows, d) && rows.every((row, i) => row.every((v, j) => rows[j][i] === v));

/** One to four matrices that `isOne` accepts, one a head. */
export const isHeads = (list, isOne) =>
  Array.isArray(list) && list.length >= 1 && list.length <= 4 && list.every((rows) => isOne(rows));
