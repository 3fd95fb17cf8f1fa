// The state a reader can change: what is allowed, and how it travels in the address.

/** Equality of numbers, words and nested lists. */
export function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

function allowed(value, rule) {
  if (rule.choices) return rule.choices.includes(value);
  if (rule.check) return Boolean(rule.check(value));
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (rule.int && !Number.isInteger(value)) return false;
  return value >= (rule.min ?? -Infinity) && value <= (rule.max ?? Infinity);
}

function shown(value) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}

/**
 * A state from JSON text: `{ values }` or `{ problem }`, a phrase that says what is
 * wrong.  Unknown keys are refused: they come from another figure or a later one.
 */
export function readState(text, rules) {
  let values;
  try {
    values = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: "it is not complete" };
  }
  if (typeof values !== "object" || values === null || Array.isArray(values))
    return { problem: "it is not a set of values" };
  for (const [key, value] of Object.entries(values)) {
    if (!Object.hasOwn(rules, key)) return { problem: `${key} is not known` };
    if (!allowed(value, rules[key])) return { problem: `${key} = ${shown(value)}` };
  }
  return { values };
}

/** The text after `#name=` in an address, or null. */
export function addressText(hash, name) {
  for (const part of hash.replace(/^#/u, "").split("&")) {
    if (!part.startsWith(`${name}=`)) continue;
    const text = part.slice(name.length + 1);
    try {
      return decodeURIComponent(text);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      return text;
    }
  }
  return null;
}

/** `#name={…}` for a state. */
export const addressOf = (name, values) =>
  `#${name}=${encodeURIComponent(JSON.stringify(values)).replace(/%2C/gu, ",").replace(/%3A/gu, ":")}`;

/** The sentence of a note when an address cannot be shown. */
export const problemNote = (problem) =>
  `The address held a state this figure cannot show: ${problem}; showing the start.`;
