/** Stack frames of this file are removed. */
export const preludeFile = "haft";

export const maxErrorTextLength = 8_192;

/** Captures built-ins before the program can replace them. */
export const prelude = `(function (call, log, names, seed, mostLog) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze, getPrototypeOf } = Object;
  const { imul } = Math;
  const AnError = Error;
  const reject = Promise.reject.bind(Promise);
  const slice = Function.prototype.call.bind(String.prototype.slice);
  const toText = String;
  const outOfMemory = InternalError.prototype;

  let [a, b, c, d] = seed;
  const word = () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return sum >>> 0;
  };
  for (let count = 0; count < 12; count++) word();
  const random = () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
  defineProperty(Math, "random", { value: random, writable: true, enumerable: false, configurable: true });

  const own = (value) => ({ __proto__: null, value, writable: false, enumerable: true, configurable: false });
  const toolFunction = (index) => (input) => {
    let text;
    try {
      text = stringify(input);
    } catch (thrown) {
      return reject(thrown);
    }
    return call(index, text === undefined ? "{}" : text, new AnError());
  };
  const tree = { children: new Map(), index: -1 };
  for (let index = 0; index < names.length; index++) {
    let node = tree;
    for (const part of names[index].split(".")) {
      if (!node.children.has(part)) node.children.set(part, { children: new Map(), index: -1 });
      node = node.children.get(part);
    }
    node.index = index;
  }
  const build = (node) => {
    const made = node.index < 0 ? create(null) : toolFunction(node.index);
    for (const [part, child] of node.children) defineProperty(made, part, own(build(child)));
    return freeze(made);
  };

  const show = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null) {
      try {
        if (value instanceof AnError) return value.name + ": " + value.message;
        const text = stringify(value);
        if (typeof text === "string") return text;
      } catch {}
    }
    try {
      return typeof value === "function" ? "[function]" : toText(value);
    } catch {
      return "[object]";
    }
  };
  const printer = (level) => function () {
    let line = "";
    for (let at = 0; at < arguments.length; at++) {
      line += (at === 0 ? "" : " ") + show(arguments[at]);
      if (line.length > mostLog) break;
    }
    log(level, stringify(slice(line, 0, mostLog + 1)));
  };
  const console = create(null);
  for (const [name, level] of [["log", 0], ["info", 0], ["debug", 0], ["warn", 1], ["error", 2]])
    defineProperty(console, name, own(freeze(printer(level))));

  const bounded = (value) => slice(typeof value === "string" ? value : show(value), 0, ${maxErrorTextLength});
  const describe = (thrown) => {
    const info = create(null);
    info.name = "Error";
    if (thrown === null || typeof thrown !== "object") {
      info.message = bounded(thrown);
      return stringify(info);
    }
    const name = thrown.name;
    const message = thrown.message;
    const stack = thrown.stack;
    if (typeof name === "string" && name !== "") info.name = slice(name, 0, 100);
    info.message = message === undefined ? bounded(thrown) : bounded(message);
    if (typeof stack === "string") info.stack = bounded(stack);
    info.isMemory = getPrototypeOf(thrown) === outOfMemory && message === "out of memory";
    return stringify(info);
  };
  const fail = (error, message, code) => {
    const set = (name, value) =>
      defineProperty(error, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    set("name", "ToolError");
    set("message", message);
    if (code !== undefined) set("code", code);
    return error;
  };
  return { parse, stringify, describe, fail, tools: build(tree), console: freeze(console) };
})`;
