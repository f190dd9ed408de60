import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import { hashText } from "../../base/json/canonical-json.ts";
import { startTimer } from "../../pipeline/layers/waiting/timer.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { Reply } from "../../types/outcome.ts";
import type { ProgramAnswer, ProgramCall } from "../sandbox.ts";

export interface CallMaker {
  /** `waited` calls were pending when the program stopped. It always replies. */
  readonly make: (call: ProgramCall, waited: boolean, onReply: (reply: Reply) => void) => void;
  /** The program can stop while a call is pending. */
  readonly canWait: boolean;
  readonly atOnce: number;
  /** Total length of the arguments of unanswered calls. */
  readonly mostWaiting: number;
  /** That length is exceeded. */
  readonly onFlood: () => void;
  /** The program is blocked until an approval request is decided. */
  readonly onStuck: () => void;
  /** A resumed program makes other calls than before, which invalidates the recorded answers. */
  readonly onMismatch: (message: string) => void;
}

/** Programs are deterministic, so replaying this restores their state. */
export interface ProgramJournal {
  /** The program's fixed time. */
  readonly now: number;
  /** The tool and a hash of the arguments. */
  readonly calls: readonly JournaledCall[];
  /** In the order in which they were given. A call without an answer is pending. */
  readonly answers: readonly (readonly [number: number, answer: ProgramAnswer])[];
}

type JournaledCall = readonly [tool: string, inputHash: string];

/** A longer journal cannot be resumed. */
export const maxJournalLength = 32 * 1024 * 1024;

export const toJournaledCall = (tool: string, input: string): JournaledCall => [tool, hashText(input)];

export const writeProgramJournal = (journal: ProgramJournal): string =>
  JSON.stringify({ version: 1, ...journal });

/** The ledger verifies the entry. */
export const readProgramJournal = (text: string): ProgramJournal => JSON.parse(text) as ProgramJournal;

/**
 * Answers the calls of one program. A resumed program receives the recorded answers in their original order
 * and must repeat the recorded calls.
 */
export class ProgramCalls {
  readonly #maker: CallMaker;
  readonly #earlier: Pick<ProgramJournal, "calls" | "answers">;
  readonly #calls: JournaledCall[] = [];
  /** In the order in which the program received them. */
  readonly #answers: (readonly [number: number, answer: ProgramAnswer])[] = [];
  readonly #resolvers = new Map<number, (answer: ProgramAnswer) => void>();
  readonly #waiting = new Map<number, ApprovalRequest>();
  #queue: (() => void)[] = [];
  #running = 0;
  readonly #lengths = new Map<number, number>();
  #waitingLength = 0;
  #answersTaken: number | undefined;
  #isOver = false;

  constructor(maker: CallMaker, earlier: Pick<ProgramJournal, "calls" | "answers"> | undefined) {
    this.#maker = maker;
    this.#earlier = earlier ?? { calls: [], answers: [] };
  }

  get journal(): Pick<ProgramJournal, "calls" | "answers"> {
    return { calls: this.#calls, answers: this.#answers };
  }

  get waitsFor(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()];
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Also drops queued calls. */
  end(): void {
    this.#isOver = true;
    this.#queue = [];
  }

  readonly answer = (call: ProgramCall): Promise<ProgramAnswer> =>
    new Promise((resolve) => {
      if (this.#isOver) return;
      this.#answersTaken = undefined;
      this.#resolvers.set(call.number, resolve);
      this.#waitingLength += call.input.length;
      if (this.#waitingLength > this.#maker.mostWaiting) {
        this.end();
        this.#maker.onFlood();
        return;
      }
      this.#lengths.set(call.number, call.input.length);
      const made = toJournaledCall(call.name, call.input);
      this.#calls.push(made);
      const before = this.#earlier.calls[call.number];
      if (this.#isMismatch(made, before)) {
        this.end();
        this.#maker.onMismatch(mismatchMessage(call, before));
        return;
      }
      // The promise must be observed before another recorded answer resolves.
      queueMicrotask(() => this.#take(call, before !== undefined));
    });

  readonly idle = (answersTaken: number): void =>
    queueMicrotask(() => {
      this.#answersTaken = answersTaken;
      const isIdle = answersTaken === this.#answers.length;
      if (isIdle && this.#answers.length < this.#earlier.answers.length) {
        this.end();
        this.#maker.onMismatch("it did not repeat a call that it made before it was suspended");
      } else this.#checkStuck();
    });

  #take(call: ProgramCall, wasMade: boolean): void {
    if (this.#isOver) return;
    if (this.#earlier.answers.some(([number]) => number === call.number)) this.#giveEarlier();
    else this.#enqueue(call, wasMade);
  }

  /** A different call, or an additional one before a new answer. */
  #isMismatch([tool, inputHash]: JournaledCall, before: JournaledCall | undefined): boolean {
    if (before !== undefined) return before[0] !== tool || before[1] !== inputHash;
    return this.#earlier.calls.length > 0 && this.#answers.length <= this.#earlier.answers.length;
  }

  /** In their original order, as far as their calls have been made. */
  #giveEarlier(): void {
    while (this.#answers.length < this.#earlier.answers.length) {
      const [number, answer] = this.#earlier.answers[this.#answers.length]!;
      if (!this.#resolvers.has(number)) return;
      this.#give(number, answer);
    }
    this.#startNext();
  }

  #enqueue(call: ProgramCall, waited: boolean): void {
    this.#queue.push(() => {
      this.#running += 1;
      this.#maker.make(call, waited, (reply) => this.#settle(call, reply));
    });
    this.#startNext();
  }

  #startNext(): void {
    if (this.#answers.length < this.#earlier.answers.length) return;
    while (this.#running < this.#maker.atOnce) {
      const start = this.#queue.shift();
      if (start === undefined) return;
      start();
    }
  }

  #settle({ number }: ProgramCall, reply: Reply): void {
    this.#running -= 1;
    if (reply.pending !== undefined && this.#maker.canWait) this.#waiting.set(number, reply.pending);
    else this.#give(number, toAnswer(reply));
    this.#startNext();
    this.#checkStuck();
  }

  #give(number: number, answer: ProgramAnswer): void {
    this.#answersTaken = undefined;
    this.#waitingLength -= this.#lengths.get(number) ?? 0;
    this.#lengths.delete(number);
    this.#answers.push([number, answer]);
    const resolve = this.#resolvers.get(number);
    this.#resolvers.delete(number);
    resolve?.(answer);
  }

  /** Every unanswered call is pending approval. */
  #checkStuck(): void {
    const allWait = this.#waiting.size > 0 && this.#waiting.size === this.#resolvers.size;
    if (allWait && this.#answersTaken === this.#answers.length) this.#maker.onStuck();
  }
}

const mismatchMessage = ({ number, name }: ProgramCall, before: JournaledCall | undefined): string => {
  const now = `call ${number + 1} is now a call of "${name}"`;
  if (before === undefined) return `${now}, which it did not make before it was suspended`;
  return before[0] === name ? `${now} with other arguments` : `${now}, and was a call of "${before[0]}"`;
};

/** The text is JSON unless the value is a string. */
const toJson = ({ text, value }: Reply): string =>
  typeof value === "string" ? JSON.stringify(text) : text === "" ? "null" : text;

const toAnswer = (reply: Reply): ProgramAnswer => {
  if (reply.ok) return { ok: true, value: toJson(reply) };
  const code = reply.failure?.code ?? (reply.pending === undefined ? undefined : "approval_required");
  const message = reply.text.replace(/^Error: /, "");
  return code === undefined ? { ok: false, message } : { ok: false, message, code };
};

/** Paused while an approval request is open. */
class PausableDeadline {
  readonly #fiber: Fiber<unknown, unknown>;
  readonly #onOver: () => void;
  #leftMs: number;
  #since = 0;
  #timer: { readonly cancel: () => void } | undefined;
  #asked = 0;
  #isStarted = false;

  constructor(fiber: Fiber<unknown, unknown>, millis: number, onOver: () => void) {
    this.#fiber = fiber;
    this.#leftMs = millis;
    this.#onOver = onOver;
  }

  /** Called when an engine is available. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#asked === 0) this.#start();
  }

  /** Returns the function that resumes it. */
  pause(): () => void {
    this.#asked += 1;
    if (this.#asked === 1 && this.#isStarted) this.#stop();
    return () => {
      this.#asked -= 1;
      if (this.#asked === 0 && this.#isStarted) this.#start();
    };
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #start(): void {
    this.#since = this.#now();
    this.#timer = startTimer(this.#fiber, Math.max(0, this.#leftMs), this.#onOver);
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#leftMs -= this.#now() - this.#since;
  }

  #now(): number {
    return Number(this.#fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6;
  }
}

export const pausableDeadline = (millis: number, onOver: () => void): Effect.Effect<PausableDeadline> =>
  Effect.withFiber((fiber) => Effect.succeed(new PausableDeadline(fiber, millis, onOver)));
