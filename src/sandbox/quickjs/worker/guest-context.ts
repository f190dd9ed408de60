import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import type { SandboxLimits } from "../../sandbox.ts";
import type { GuestEnding, StartMessage } from "../worker-messages.ts";
import { GuestOverSignal, outOfMemoryEnding, stoppedByLimit } from "./guest-ending.ts";
import { maxErrorTextLength, prelude, preludeFile } from "./prelude.ts";
import { type GuestErrorInfo, programFile, toGuestError } from "./program-text.ts";
import type { QuickJsEngine } from "./quickjs.ts";

/** Bytes of the engine's own stack. What still runs out of the thread's is caught, and costs the worker. */
const stackBytes = 256 * 1024;

/** What the guest can reach outside. None of these ever throws: that would be an error of the host in the guest. */
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

/** What the prelude gives back: made before the program ran, so nothing of the program is in it. */
type Prelude = Readonly<Record<(typeof preludeParts)[number], QuickJSHandle>>;

/** A runtime and a context for one program, and all reading of what is in them. */
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

  /** Starts the program, which is an async function. */
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

  /** Lets the guest do everything that it can do now. */
  runJobs(isToStop: () => boolean): void {
    while (!isToStop() && this.#runtime.hasPendingJob()) {
      const done = this.#runtime.executePendingJobs();
      if (done.error) done.error.dispose();
    }
  }

  /** Undefined while the program is not at its end. A program's own `then` is not asked. */
  ending(): GuestEnding | undefined {
    const state = this.#vm.getPromiseState(this.#result!);
    if (state.type === "pending") return undefined;
    return state.type === "rejected"
      ? this.#thrown(state.error)
      : state.value.consume((it) => this.#value(it));
  }

  /** A text of the guest; undefined where it is longer than `most` bytes. Its length is known before it is copied. */
  readText(handle: QuickJSHandle, most: number): string | undefined {
    const vm = this.#vm;
    if (vm.typeof(handle) !== "string") {
      throw new GuestOverSignal({ kind: "lost", message: "Its engine gave back no text." });
    }
    const length = vm.getProp(handle, "length").consume((it) => vm.getNumber(it));
    if (length > most) return undefined;
    const text = vm.getString(handle);
    // No JSON is empty: there was no memory left in which the engine could have written it.
    if (text === "") throw new GuestOverSignal(outOfMemoryEnding(this.#limits));
    return Buffer.byteLength(text) > most ? undefined : text;
  }

  readNumber(handle: QuickJSHandle): number {
    return this.#vm.getNumber(handle);
  }

  newPromise() {
    return this.#vm.newPromise();
  }

  /** The value that a call is answered with. False where the text is no JSON, or more than the engine can read. */
  withValue(json: string, use: (value: QuickJSHandle) => void): boolean {
    const vm = this.#vm;
    const answer = vm.newString(json).consume((text) => vm.callFunction(this.#own.parse, vm.undefined, text));
    if (answer.error) answer.error.dispose();
    else answer.value.consume(use);
    return !answer.error;
  }

  /** The error that a call throws, made of one that stands where the call does. */
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

  /** Throws where something of the program is still held: then the engine is not to be used again. */
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
      return stoppedByLimit("result", `Its value is longer than ${resultBytes} bytes as JSON.`);
    });
  }

  /** Looking at an error runs the program's getters, so it is the guest that does it. */
  #thrown(thrown: QuickJSHandle): GuestEnding {
    const answer = this.#vm.callFunction(this.#own.describe, this.#vm.undefined, thrown);
    thrown.dispose();
    if (answer.error) {
      answer.error.dispose();
      return { kind: "error", name: "Error", message: "It threw something that cannot be looked at." };
    }
    const text = answer.value.consume((json) => this.readText(json, 64 * maxErrorTextLength)) ?? "{}";
    const told = JSON.parse(text) as GuestErrorInfo & { readonly isMemory?: boolean };
    return told.isMemory === true ? outOfMemoryEnding(this.#limits) : toGuestError(told, this.#start.source);
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
