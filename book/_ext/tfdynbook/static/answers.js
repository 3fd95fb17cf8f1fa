// Questions that check themselves: {answer} and {choice} of the book.
// The server's HTML holds the question and a fold with the answer; this script puts a
// form in the place of the fold.  Nothing leaves the page.
(() => {
  "use strict";

  // ---- the little language of numbers, as in arithmetic.py: 0.94, 7/8, sqrt(2)/pi, 2^-3

  const NAMES = { pi: Math.PI, "π": Math.PI, e: Math.E };
  const FUNCTIONS = { sqrt: Math.sqrt, "√": Math.sqrt, exp: Math.exp, log: Math.log, ln: Math.log };
  const TOKEN = /\s*(\d+(?:[.,]\d*)?(?:e[-+]?\d+)?|[.,]\d+(?:e[-+]?\d+)?|[a-z]+|[π√]|\*\*|[-+*/^()])/iy;

  function tokensOf(text) {
    const plain = text.replace(/[−–]/g, "-").replace(/[·×]/g, "*").trim();
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < plain.length) {
      const match = TOKEN.exec(plain);
      if (!match) throw new SyntaxError(text);
      tokens.push(match[1] === "**" ? "^" : match[1].toLowerCase());
    }
    return tokens;
  }

  /** Number that `text` stands for; NaN if it stands for none. */
  function valueOf(text) {
    try {
      const tokens = tokensOf(text);
      const value = sum(tokens);
      return tokens.length || !Number.isFinite(value) ? NaN : value;
    } catch (error) {
      if (error instanceof SyntaxError) return NaN;
      throw error;
    }
  }

  function sum(tokens) {
    let value = product(tokens);
    while (tokens[0] === "+" || tokens[0] === "-") {
      value += tokens.shift() === "+" ? product(tokens) : -product(tokens);
    }
    return value;
  }

  function product(tokens) {
    let value = signed(tokens);
    while (tokens[0] === "*" || tokens[0] === "/") {
      if (tokens.shift() === "*") value *= signed(tokens);
      else value /= signed(tokens);
    }
    return value;
  }

  function signed(tokens) {
    if (tokens[0] === "+" || tokens[0] === "-") {
      return tokens.shift() === "-" ? -signed(tokens) : signed(tokens);
    }
    const base = atom(tokens);
    if (tokens[0] !== "^") return base;
    tokens.shift();
    return base ** signed(tokens);
  }

  function atom(tokens) {
    const token = tokens.shift() ?? "";
    if (/^[\d.,]/.test(token)) return Number(token.replace(",", "."));
    if (token === "(") return closed(tokens);
    if (Object.hasOwn(NAMES, token)) return NAMES[token];
    if (Object.hasOwn(FUNCTIONS, token) && tokens.shift() === "(") {
      return FUNCTIONS[token](closed(tokens));
    }
    throw new SyntaxError(token);
  }

  function closed(tokens) {
    const value = sum(tokens);
    if (tokens.shift() !== ")") throw new SyntaxError("a bracket is open");
    return value;
  }

  // ---- what is said about an answer: yes, or a hint of its size and nothing more

  /** One of: right, unread, sign, close, large, small. */
  function judge(given, box) {
    if (Number.isNaN(given)) return "unread";
    const miss = Math.abs(given - box.value);
    const allowed = box.tol ?? box.rtol * Math.abs(box.value);
    if (miss <= allowed * (1 + 1e-9)) return "right";
    if (Math.abs(given + box.value) <= allowed) return "sign";
    if (miss <= 0.01 * Math.abs(box.value)) return "close";
    return given > box.value ? "large" : "small";
  }

  const WORDS = {
    right: "Yes",
    unread: "Write a number, such as 0.94, 7/8 or sqrt(2)",
    sign: "Not yet: the size is right, the sign is not",
    close: "Not yet, but close: more digits, or a small slip",
    large: "Not yet: too large",
    small: "Not yet: too small",
  };

  /** Sentence about all boxes; `parts` are their names. */
  function sentence(verdicts, parts) {
    if (verdicts.length === 1) return `${WORDS[verdicts[0]]}.`;
    if (verdicts.every((verdict) => verdict === "right")) return "Yes, all of them.";
    return verdicts.map((verdict, k) => `${parts[k]}: ${WORDS[verdict].toLowerCase()}.`).join(" ");
  }

  /** Sentence about the chosen items of a choice. */
  function choiceSentence(chosen, right) {
    if (!chosen.length) return "Choose an item first.";
    if (chosen.some((k) => !right.includes(k))) return "Not yet.";
    return chosen.length === right.length ? "Yes." : "Right so far, but not all.";
  }

  globalThis.tfdynAnswers = { valueOf, judge, sentence, choiceSentence };
  if (typeof document === "undefined") return;

  // ---- the page

  const make = (tag, attributes, ...children) => {
    const el = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
    el.append(...children);
    return el;
  };

  let count = 0;

  function form(box, fields, check) {
    const say = make("output", { role: "status", "aria-live": "polite" });
    const button = make("button", { type: "submit" }, "Check");
    const node = make("form", { class: "tfdyn-ask-form", novalidate: "" }, ...fields, button, say);
    node.addEventListener("submit", (event) => {
      event.preventDefault();
      const [right, words] = check();
      box.dataset.verdict = right ? "yes" : "no";
      say.textContent = words;
    });
    node.addEventListener("input", () => {
      delete box.dataset.verdict;
      say.textContent = "";
    });
    return node;
  }

  function mountAnswer(box, spec) {
    const many = spec.boxes.length > 1;
    const question = box.querySelector(".tfdyn-ask-question");
    const parts = spec.boxes.map((one, k) => one.part || `value ${k + 1}`);
    const inputs = spec.boxes.map((_, k) => {
      const input = make("input", { type: "text", autocomplete: "off", spellcheck: "false" });
      const name = many ? `${question.textContent}, ${parts[k]}` : question.textContent;
      input.setAttribute("aria-label", spec.unit ? `${name}, in ${spec.unit}` : name);
      return input;
    });
    const fields = inputs.map((input, k) =>
      make("label", {}, ...(many ? [make("span", {}, parts[k])] : []), input, spec.unit));
    box.append(form(box, fields, () => {
      const verdicts = spec.boxes.map((one, k) => judge(valueOf(inputs[k].value), one));
      inputs.forEach((input, k) => input.setAttribute("aria-invalid", verdicts[k] !== "right"));
      return [verdicts.every((verdict) => verdict === "right"), sentence(verdicts, parts)];
    }));
  }

  function mountChoice(box, spec) {
    const type = spec.right.length > 1 ? "checkbox" : "radio";
    const name = `tfdyn-ask-${count}`;
    const list = box.querySelector("ol");
    const inputs = [...list.children].map((item, k) => {
      const text = item.querySelector(".tfdyn-ask-item");
      const input = make("input", { type, name, value: k });
      const words = text.querySelector(":scope > p:only-child") ?? text;
      text.replaceWith(make("label", { class: "tfdyn-ask-item" }, input, make("span", {}, ...words.childNodes)));
      return input;
    });
    const node = form(box, [list], () => {
      const chosen = inputs.flatMap((input, k) => (input.checked ? [k] : []));
      [...list.children].forEach((item, k) => item.classList.toggle("tfdyn-ask-shown", chosen.includes(k)));
      const words = choiceSentence(chosen, spec.right);
      return [words === "Yes.", words];
    });
    box.append(node);
  }

  const MOUNT = { answer: mountAnswer, choice: mountChoice };

  function mountAll() {
    for (const box of document.querySelectorAll(".tfdyn-ask")) {
      count += 1;
      box.querySelector(":scope > details").hidden = true;
      MOUNT[box.dataset.kind](box, JSON.parse(box.dataset.spec));
    }
  }

  mountAll();
})();
