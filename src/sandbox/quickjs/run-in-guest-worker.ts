import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import { readJson } from "../../base/json/read-json.ts";
import {
  hardLimitGraceMs,
  type ProgramAnswer,
  type ProgramEnding,
  type ProgramResult,
  type SandboxLimits,
  type SandboxLogLine,
  type SandboxProgram,
} from "../sandbox.ts";
import { terminateWorker } from "../workers/pooled-worker.ts";
import type { GuestWorker } from "./guest-worker.ts";
import { readWorkerMessage } from "./read-worker-message.ts";
import {
  type DoneMessage,
  type GuestEnding,
  type HostMessage,
  type IdleMessage,
  type PrintedOutput,
  sharedFlags,
} from "./worker-messages.ts";

type StoppedEnding = Extract<ProgramEnding, { readonly kind: "stopped" }>;

/** Longer timers fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

const watchdogIntervalMs = 250;

/** The worker runs nothing else. The input is JSON text. */
export const runInGuestWorker = (
  guest: GuestWorker,
  program: SandboxProgram,
  input: string,
  limits: SandboxLimits,
): Effect.Effect<ProgramResult> =>
  Effect.callback((resume) => {
    const run = new ProgramRun(guest, program, limits, (result) => resume(Effect.succeed(result)));
    run.start(input);
    return Effect.callback((over) => run.cancel(() => over(Effect.void)));
  });

/** The host side of one program. Enforces the limits from outside. */
class ProgramRun {
  readonly #guest: GuestWorker;
  readonly #program: SandboxProgram;
  readonly #limits: SandboxLimits;
  readonly #functions: readonly string[];
  readonly #number: number;
  readonly #began = performance.now();
  readonly #logs: SandboxLogLine[] = [];
  #finish: (result: ProgramResult) => void;
  #logsCut = false;
  #cpuMs = 0;
  #calls = 0;
  #answers = 0;
  #isOver = false;
  /** Set by the host. */
  #stopped: StoppedEnding | undefined;
  /** -1 while the guest waits. */
  #busySince = performance.now();
  #looks = -1;
  #isSuspect = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(
    guest: GuestWorker,
    program: SandboxProgram,
    limits: SandboxLimits,
    finish: (result: ProgramResult) => void,
  ) {
    this.#guest = guest;
    this.#program = program;
    this.#limits = limits;
    this.#finish = finish;
    this.#functions = program.functions ?? [];
    this.#number = ++guest.programs;
  }

  start(input: string): void {
    const { worker, shared } = this.#guest;
    const { language, source, now = 0, seed = "" } = this.#program;
    const { wallMs } = this.#limits;
    // Reusable only after the worker reports that its program is over.
    this.#guest.isSound = false;
    Atomics.store(shared, sharedFlags.stop, 0);
    worker.on("message", this.#onMessage);
    worker.on("error", this.#onExit);
    worker.on("exit", this.#onExit);
    this.#timers = [
      setTimeout(
        () => this.#stop("time", `The program took longer than ${wallMs} ms.`),
        Math.min(wallMs, maxTimerMs),
      ),
      setInterval(() => this.#look(), watchdogIntervalMs),
    ];
    this.#post({
      kind: "start",
      program: this.#number,
      language,
      source,
      input,
      functions: this.#functions,
      now,
      seed: seedWords(seed),
      limits: this.#limits,
    });
  }

  /** A waiting guest is asked to end, which keeps its worker; a running guest is terminated. */
  cancel(over: () => void): void {
    if (this.#isOver) {
      over();
      return;
    }
    this.#finish = over;
    if (this.#busySince < 0) this.#stop("time", "The program was cancelled.");
    else this.#endWorker({ kind: "lost", message: "The program was cancelled." });
  }

  #post(message: HostMessage): void {
    this.#guest.worker.postMessage(message);
  }

  readonly #onMessage = (given: unknown): void => {
    const message = readWorkerMessage(given, {
      limits: this.#limits,
      functions: this.#functions.length,
      calls: this.#calls,
      answers: this.#answers,
    });
    if (message?.kind === "call") this.#onCall(message.name, message.input);
    else if (message?.kind === "idle") this.#onIdle(message);
    else if (message?.kind === "done") this.#onDone(message);
    else this.#endWorker({ kind: "lost", message: "The engine sent an invalid message." });
  };

  #onIdle(message: IdleMessage): void {
    this.#keepPrinted(message);
    this.#busySince = message.taken === this.#answers ? -1 : performance.now();
    this.#isSuspect = false;
    try {
      this.#program.onIdle?.(message.taken);
    } catch {
      // A listener's error does not affect the program.
    }
  }

  #keepPrinted({ logs, logsCut, cpuMs }: PrintedOutput): void {
    this.#logs.push(...logs);
    this.#logsCut ||= logsCut;
    this.#cpuMs = cpuMs;
  }

  #onCall(index: number, input: string): void {
    const number = this.#calls++;
    if (this.#stopped !== undefined) return;
    const { answer } = this.#program;
    const answered = (answer: ProgramAnswer): void => this.#answer(number, answer);
    try {
      if (answer === undefined) answered(callFailedAnswer);
      else
        answer({ number, name: this.#functions[index]!, input }).then(answered, () =>
          answered(callFailedAnswer),
        );
    } catch {
      answered(callFailedAnswer);
    }
  }

  #answer(number: number, answer: ProgramAnswer): void {
    if (this.#isOver || this.#stopped !== undefined) return;
    const { callBytes } = this.#limits;
    const text = answer.ok ? answer.value : answer.message;
    if (text.length > callBytes || Buffer.byteLength(text) > callBytes) {
      this.#stop("call", `The answer to a call is longer than ${callBytes} bytes as JSON.`);
      return;
    }
    this.#answers++;
    if (this.#busySince < 0) this.#busySince = performance.now();
    const program = this.#number;
    if (answer.ok) this.#post({ kind: "answer", program, number, value: answer.value });
    else this.#post({ kind: "refusal", program, number, message: answer.message, code: answer.code });
  }

  /** The guest stops at its next check; after the grace period its worker is terminated. */
  #stop(limit: StoppedEnding["limit"], message: string): void {
    const stopped: StoppedEnding = { kind: "stopped", limit, message };
    this.#stopped ??= stopped;
    Atomics.store(this.#guest.shared, sharedFlags.stop, 1);
    this.#post({ kind: "end", program: this.#number });
    this.#timers.push(setTimeout(() => this.#endWorker(stopped), hardLimitGraceMs));
  }

  /**
   * A guest stops itself unless it runs code that never checks. It is terminated after two missed checks,
   * because a busy host may not have read its message yet.
   */
  #look(): void {
    const looks = Atomics.load(this.#guest.shared, sharedFlags.looks);
    const hasLooked = looks !== this.#looks;
    this.#looks = looks;
    const { cpuMs } = this.#limits;
    const mostMs = Math.max(0, cpuMs - this.#cpuMs) + hardLimitGraceMs;
    const isLate = this.#busySince >= 0 && performance.now() - this.#busySince > mostMs;
    const wasSuspect = this.#isSuspect;
    this.#isSuspect = isLate && !hasLooked;
    if (this.#isSuspect && wasSuspect) {
      this.#endWorker({
        kind: "stopped",
        limit: "cpu",
        message: `The program used more than ${cpuMs} ms of CPU time.`,
      });
    }
  }

  readonly #onExit = (): void => {
    const { memoryBytes } = this.#limits;
    const message = `The program used more than ${memoryBytes} bytes of memory.`;
    if (this.#guest.gone?.isOutOfMemory) this.#end({ kind: "stopped", limit: "memory", message });
    else this.#end(lostEnding);
  };

  #onDone(message: DoneMessage): void {
    this.#keepPrinted(message);
    this.#guest.isSound = message.isSound;
    // A busy host may read the result late.
    if (this.#stopped?.limit === "time" && message.ending.kind === "value") this.#stopped = undefined;
    this.#end(toEnding(message.ending, this.#limits));
  }

  #endWorker(ending: ProgramEnding): void {
    if (this.#isOver) return;
    this.#detach();
    terminateWorker(this.#guest, () => this.#finish(this.#resultWith(ending)));
  }

  #end(ending: ProgramEnding): void {
    if (this.#isOver) return;
    this.#detach();
    this.#finish(this.#resultWith(ending));
  }

  #detach(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { worker } = this.#guest;
    worker.off("message", this.#onMessage);
    worker.off("error", this.#onExit);
    worker.off("exit", this.#onExit);
  }

  #resultWith(ending: ProgramEnding): ProgramResult {
    return {
      ending: this.#stopped ?? ending,
      logs: this.#logs,
      logsCut: this.#logsCut,
      files: {},
      usage: { wallMs: performance.now() - this.#began, cpuMs: this.#cpuMs, calls: this.#calls },
    };
  }
}

const callFailedAnswer: ProgramAnswer = { ok: false, message: "The call could not be answered." };
const lostEnding: ProgramEnding = { kind: "lost", message: "The engine stopped without giving a reason." };

const toEnding = (ending: GuestEnding, limits: SandboxLimits): ProgramEnding => {
  if (ending.kind === "ended") return lostEnding;
  if (ending.kind !== "value") return ending;
  const read = readJson(ending.text, { maxLength: limits.resultBytes });
  if (read.ok) return { kind: "value", value: read.value };
  return {
    kind: "error",
    name: "TypeError",
    message: `The value cannot be returned: ${read.problem.message}`,
  };
};

const seedWords = (seed: string): readonly number[] => {
  const digest = createHash("sha256").update(seed).digest();
  return [0, 4, 8, 12].map((at) => digest.readInt32LE(at));
};
