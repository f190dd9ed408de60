import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import type { SandboxLimits } from "../../sandbox.ts";
import type { GuestEnding, StartMessage } from "../worker-messages.ts";
import { GuestOverSignal, outOfMemoryEnding, stoppedByLimit } from "./guest-ending.ts";
import { type GuestErrorInfo, programFile, toGuestError } from "./program-text.ts";
import type { QuickJsEngine } from "./quickjs.ts";

/** If the thread's own stack overflows instead, the worker is replaced. */
const stackBytes = 256 * 1024;

/** These must not throw, because the guest would receive a host error. */
export interface GuestBridge {
  readonly isToStop: () => boolean;
  readonly onCall: (
    index: QuickJSHandle,
    input: QuickJSHandle,
    site: QuickJSHandle,
  ) => QuickJSHandle | undefined;
  readonly onLog: (level: QuickJSHandle, text: QuickJSHandle) => void;
}

const preludeParts = ["parse", "stringify", "describe", "fail", "tools", "console"] as const;

/** Created before the program ran. */
type Prelude = Readonly<Record<(typeof preludeParts)[number], QuickJSHandle>>;

/** Stack frames of this file are removed. */
const preludeFile = "haft";

const maxErrorTextLength = 8_192;

/** Captures built-ins before the program can replace them. */
const prelude = `(function (call, log, names, seed, mostLog) {
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

export class GuestContext {
  readonly #runtime: QuickJSRuntime;
  readonly #vm: QuickJSContext;
  readonly #own: Prelude;
  readonly #start: StartMessage;
  readonly #limits: SandboxLimits;
  #result: QuickJSHandle | undefined;

  constructor(quickjs: QuickJsEngine, start: StartMessage, bridge: GuestBridge) {
    this.#start = start;
    this.#limits = start.limits;
    this.#runtime = quickjs.module.newRuntime();
    this.#runtime.setMemoryLimit(start.limits.memoryBytes);
    this.#runtime.setMaxStackSize(stackBytes);
    this.#runtime.setInterruptHandler(bridge.isToStop);
    this.#vm = this.#runtime.newContext();
    this.#own = this.#openPrelude(bridge);
  }

  startProgram(text: string): void {
    const vm = this.#vm;
    const input = this.#parsed(this.#start.input);
    const compiled = vm.evalCode(text, programFile);
    if (compiled.error) {
      input.dispose();
      throw new GuestOverSignal(this.#thrown(compiled.error));
    }
    const { tools, console } = this.#own;
    const answer = vm.callFunction(compiled.value, vm.undefined, input, tools, console);
    compiled.value.dispose();
    input.dispose();
    if (answer.error) throw new GuestOverSignal(this.#thrown(answer.error));
    this.#result = answer.value;
  }

  runJobs(isToStop: () => boolean): void {
    while (!isToStop() && this.#runtime.hasPendingJob()) {
      const done = this.#runtime.executePendingJobs();
      if (done.error) done.error.dispose();
    }
  }

  /** Undefined while the program runs. Does not call the program's own `then`. */
  ending(): GuestEnding | undefined {
    const state = this.#vm.getPromiseState(this.#result!);
    if (state.type === "pending") return undefined;
    return state.type === "rejected"
      ? this.#thrown(state.error)
      : state.value.consume((it) => this.#value(it));
  }

  /** Undefined if longer than `most` bytes, which is checked before the copy. */
  readText(handle: QuickJSHandle, most: number): string | undefined {
    const vm = this.#vm;
    if (vm.typeof(handle) !== "string") {
      throw new GuestOverSignal({
        kind: "lost",
        message: "The engine returned a value that is not a string.",
      });
    }
    const length = vm.getProp(handle, "length").consume((it) => vm.getNumber(it));
    if (length > most) return undefined;
    const text = vm.getString(handle);
    // JSON is never empty, so the engine ran out of memory.
    if (text === "") throw new GuestOverSignal(outOfMemoryEnding(this.#limits));
    return Buffer.byteLength(text) > most ? undefined : text;
  }

  readNumber(handle: QuickJSHandle): number {
    return this.#vm.getNumber(handle);
  }

  newPromise() {
    return this.#vm.newPromise();
  }

  /** Returns false if the text is not JSON or too large. */
  withValue(json: string, use: (value: QuickJSHandle) => void): boolean {
    const vm = this.#vm;
    const answer = vm.newString(json).consume((text) => vm.callFunction(this.#own.parse, vm.undefined, text));
    if (answer.error) answer.error.dispose();
    else answer.value.consume(use);
    return !answer.error;
  }

  /** Uses the error that was created at the call site. */
  withError(
    site: QuickJSHandle,
    message: string,
    code: string | undefined,
    use: (error: QuickJSHandle) => void,
  ): void {
    const vm = this.#vm;
    const given = [vm.newString(message), ...(code === undefined ? [] : [vm.newString(code)])];
    this.#called(this.#own.fail, site, ...given).consume(use);
    for (const handle of given) handle.dispose();
  }

  /** Throws if handles are still in use. The engine must then not be reused. */
  dispose(): void {
    for (const handle of Object.values(this.#own)) handle.dispose();
    this.#result?.dispose();
    this.#vm.dispose();
    this.#runtime.dispose();
  }

  #openPrelude({ onCall, onLog }: GuestBridge): Prelude {
    const vm = this.#vm;
    const { functions, seed, limits } = this.#start;
    const make = vm.unwrapResult(vm.evalCode(prelude, preludeFile));
    const plain = vm.unwrapResult(vm.evalCode(JSON.stringify([functions, seed]), preludeFile));
    const given = [
      vm.newFunction("call", onCall),
      vm.newFunction("log", onLog),
      vm.getProp(plain, 0),
      vm.getProp(plain, 1),
      vm.newNumber(limits.logBytes),
    ];
    const made = vm.unwrapResult(vm.callFunction(make, vm.undefined, ...given));
    const parts = preludeParts.map((name) => [name, vm.getProp(made, name)]);
    for (const handle of [make, plain, made, ...given]) handle.dispose();
    return Object.fromEntries(parts);
  }

  #value(value: QuickJSHandle): GuestEnding {
    const { resultBytes } = this.#limits;
    return this.#called(this.#own.stringify, value).consume((json) => {
      if (this.#vm.typeof(json) === "undefined") return { kind: "value", text: "null" };
      const text = this.readText(json, resultBytes);
      if (text !== undefined) return { kind: "value", text };
      return stoppedByLimit("result", `The value is longer than ${resultBytes} bytes as JSON.`);
    });
  }

  /** Reading an error may run the program's getters, so it happens inside the guest. */
  #thrown(thrown: QuickJSHandle): GuestEnding {
    const answer = this.#vm.callFunction(this.#own.describe, this.#vm.undefined, thrown);
    thrown.dispose();
    if (answer.error) {
      answer.error.dispose();
      return { kind: "error", name: "Error", message: "The program threw a value that cannot be read." };
    }
    const text = answer.value.consume((json) => this.readText(json, 64 * maxErrorTextLength)) ?? "{}";
    const info = JSON.parse(text) as GuestErrorInfo & { readonly isMemory?: boolean };
    return info.isMemory === true ? outOfMemoryEnding(this.#limits) : toGuestError(info, this.#start.source);
  }

  #parsed(json: string): QuickJSHandle {
    return this.#vm.newString(json).consume((text) => this.#called(this.#own.parse, text));
  }

  #called(fn: QuickJSHandle, ...given: readonly QuickJSHandle[]): QuickJSHandle {
    const answer = this.#vm.callFunction(fn, this.#vm.undefined, ...given);
    if (answer.error) throw new GuestOverSignal(this.#thrown(answer.error));
    return answer.value;
  }
}
