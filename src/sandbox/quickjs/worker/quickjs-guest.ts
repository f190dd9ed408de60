import type { QuickJSDeferredPromise, QuickJSHandle } from "quickjs-emscripten-core";
import type { SandboxLimitName, SandboxLimits, SandboxLogLine } from "../../sandbox.ts";
import { type GuestEnding, type StartMessage, sharedFlags, type WorkerMessage } from "../worker-messages.ts";
import { setFixedTime } from "./fixed-date.ts";
import { GuestContext } from "./guest-context.ts";
import { GuestOverSignal, lostByError, outOfMemoryEnding, stoppedByLimit } from "./guest-ending.ts";
import { toProgramText } from "./program-text.ts";
import type { QuickJsEngine } from "./quickjs.ts";

interface PendingGuestCall {
  readonly deferred: QuickJSDeferredPromise;
  /** Created at the call site, so that a failure reports its line. */
  readonly site: QuickJSHandle;
}

/** Posts a message for each call, each wait, and the end. */
export class QuickJsGuest {
  readonly #quickjs: QuickJsEngine;
  readonly #shared: Int32Array;
  readonly #post: (message: WorkerMessage) => void;
  readonly #limits: SandboxLimits;
  readonly #cpu: CpuTime;
  readonly #logs: GuestLogs;
  readonly #waiting = new Map<number, PendingGuestCall>();
  #context: GuestContext | undefined;
  #stop: GuestEnding | undefined;
  #calls = 0;
  #taken = 0;
  #isOver = false;

  constructor(
    quickjs: QuickJsEngine,
    limits: SandboxLimits,
    shared: Int32Array,
    post: (message: WorkerMessage) => void,
  ) {
    this.#quickjs = quickjs;
    this.#shared = shared;
    this.#post = post;
    this.#limits = limits;
    this.#cpu = cpuTime(limits.cpuMs);
    this.#logs = guestLogs(limits.logBytes);
  }

  start(start: StartMessage): void {
    setFixedTime(start.now);
    this.#quickjs.memory.limitTo(start.limits.memoryBytes);
    this.#turn(() => {
      const program = toProgramText(start.source, start.language);
      this.#context = new GuestContext(this.#quickjs, start, {
        isToStop: this.#isToStop,
        onCall: this.#onCall,
        onLog: this.#onLog,
      });
      this.#context.startProgram(program);
    });
  }

  answer(number: number, value: string): void {
    this.#settle(number, ({ deferred, site }, context) => {
      const isRead = context.withValue(value, deferred.resolve);
      if (!isRead) context.withError(site, "The answer cannot be read.", undefined, deferred.reject);
    });
  }

  refuse(number: number, message: string, code: string | undefined): void {
    this.#settle(number, ({ deferred, site }, context) =>
      context.withError(site, message, code, deferred.reject),
    );
  }

  end(): void {
    this.#turn(() => {
      this.#stop ??= { kind: "ended" };
    });
  }

  #turn(work: () => void): void {
    if (this.#isOver) return;
    this.#cpu.begin();
    const { ending, isBroken } = this.#endingAfter(work);
    const isSound = ending !== undefined && !isBroken && this.#dispose();
    this.#isOver = ending !== undefined;
    this.#cpu.end();
    const printed = { ...this.#logs.take(), cpuMs: this.#cpu.usedMs() };
    this.#post(
      ending === undefined
        ? { kind: "idle", taken: this.#taken, ...printed }
        : { kind: "done", ending, isSound, ...printed },
    );
  }

  #endingAfter(work: () => void): { readonly ending: GuestEnding | undefined; readonly isBroken: boolean } {
    let ending: GuestEnding | undefined;
    let isBroken = false;
    try {
      work();
      this.#context?.runJobs(() => this.#stop !== undefined);
      if (this.#stop === undefined) ending = this.#context?.ending() ?? this.#deadlock();
    } catch (thrown) {
      isBroken = !(thrown instanceof GuestOverSignal);
      ending = thrown instanceof GuestOverSignal ? thrown.ending : lostByError(thrown);
    }
    // Reading the value or error runs the program.
    ending = this.#stop ?? ending;
    const isOutOfMemory = this.#quickjs.memory.wasRefused();
    if (isOutOfMemory && (ending?.kind === "error" || ending?.kind === "lost"))
      ending = outOfMemoryEnding(this.#limits);
    return { ending, isBroken: isBroken || isOutOfMemory };
  }

  #deadlock(): GuestEnding | undefined {
    if (this.#waiting.size > 0) return undefined;
    return { kind: "error", name: "Error", message: "The program waits for a promise that never settles." };
  }

  #settle(number: number, how: (call: PendingGuestCall, context: GuestContext) => void): void {
    this.#turn(() => {
      const call = this.#waiting.get(number);
      if (call === undefined)
        throw new GuestOverSignal({
          kind: "lost",
          message: "The engine received an answer for an unknown call.",
        });
      this.#waiting.delete(number);
      this.#taken++;
      try {
        how(call, this.#context!);
      } finally {
        call.deferred.dispose();
        call.site.dispose();
      }
    });
  }

  #stopAt(limit: SandboxLimitName, message: string): void {
    this.#stop ??= stoppedByLimit(limit, message);
  }

  /** Called every few thousand steps. Takes precedence over the guest's own error. */
  readonly #isToStop = (): boolean => {
    Atomics.add(this.#shared, sharedFlags.looks, 1);
    if (Atomics.load(this.#shared, sharedFlags.stop) !== 0) this.#stop ??= { kind: "ended" };
    else if (this.#cpu.isOver())
      this.#stopAt("cpu", `The program used more than ${this.#limits.cpuMs} ms of CPU time.`);
    return this.#stop !== undefined;
  };

  readonly #onCall = (
    index: QuickJSHandle,
    input: QuickJSHandle,
    site: QuickJSHandle,
  ): QuickJSHandle | undefined => {
    const { calls, callsAtOnce, callBytes } = this.#limits;
    if (this.#calls >= calls) this.#stopAt("calls", `The program made more than ${calls} calls.`);
    if (this.#waiting.size >= callsAtOnce)
      this.#stopAt(
        "calls",
        `The program made more than ${callsAtOnce} calls at once. Await some calls before making more.`,
      );
    return this.#unlessStopped((context) => {
      const text = context.readText(input, callBytes);
      if (text === undefined) {
        this.#stopAt("call", `The argument of a call is longer than ${callBytes} bytes as JSON.`);
        return undefined;
      }
      const deferred = context.newPromise();
      this.#waiting.set(this.#calls, { deferred, site: site.dup() });
      this.#post({ kind: "call", number: this.#calls++, name: context.readNumber(index), input: text });
      return deferred.handle;
    });
  };

  readonly #onLog = (level: QuickJSHandle, text: QuickJSHandle): void => {
    this.#unlessStopped((context) => {
      // A character may take six as JSON.
      const read = context.readText(text, 6 * this.#limits.logBytes + 8);
      if (read !== undefined) this.#logs.add(context.readNumber(level), JSON.parse(read));
    });
  };

  #unlessStopped<T>(work: (context: GuestContext) => T): T | undefined {
    try {
      return this.#stop === undefined ? work(this.#context!) : undefined;
    } catch (thrown) {
      this.#stop ??= thrown instanceof GuestOverSignal ? thrown.ending : lostByError(thrown);
      return undefined;
    }
  }

  /** Returns whether the engine can be reused. */
  #dispose(): boolean {
    try {
      for (const { deferred, site } of this.#waiting.values()) {
        deferred.dispose();
        site.dispose();
      }
      this.#context?.dispose();
      return !this.#quickjs.memory.hasGrown();
    } catch {
      return false;
    }
  }
}

const levels = ["log", "warn", "error"] as const;

interface GuestLogs {
  readonly add: (level: number, text: string) => void;
  /** Lines since the previous call. */
  readonly take: () => { readonly logs: readonly SandboxLogLine[]; readonly logsCut: boolean };
}

const guestLogs = (mostBytes: number): GuestLogs => {
  let left = mostBytes;
  let logsCut = false;
  let logs: SandboxLogLine[] = [];
  return {
    add: (level, text) => {
      if (logsCut) return;
      // Counts the line end, so that empty lines are bounded too.
      const bytes = Buffer.byteLength(text) + 1;
      logsCut = bytes > left;
      const kept = logsCut
        ? Buffer.from(text)
            .subarray(0, left)
            .toString()
            .replace(/\ufffd+$/, "")
        : text;
      left -= bytes;
      if (!logsCut || kept !== "") logs.push({ level: levels[level] ?? "log", text: kept });
    },
    take: () => {
      const taken = { logs, logsCut };
      logs = [];
      return taken;
    },
  };
};

const now = (): number => performance.now();

/** Elapsed time if Node does not report CPU time. */
const threadMs = (): number => {
  const used = process.threadCpuUsage?.();
  return used === undefined ? now() : (used.user + used.system) / 1000;
};

/** Excludes the time in which the guest waits. */
interface CpuTime {
  readonly begin: () => void;
  readonly end: () => void;
  readonly usedMs: () => number;
  readonly isOver: () => boolean;
}

const cpuTime = (mostMs: number): CpuTime => {
  let counted = 0;
  let began = 0;
  let beganThread = 0;
  let isRunning = false;
  const usedMs = (): number => counted + (isRunning ? threadMs() - beganThread : 0);
  return {
    begin: () => {
      isRunning = true;
      began = now();
      beganThread = threadMs();
    },
    end: () => {
      counted = usedMs();
      isRunning = false;
    },
    usedMs,
    // Elapsed time is an upper bound and cheaper to read.
    isOver: () => isRunning && counted + now() - began > mostMs && usedMs() > mostMs,
  };
};
