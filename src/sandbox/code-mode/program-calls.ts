import type { ApprovalRequest } from "../../types/approval.ts";
import type { Reply } from "../../types/reply.ts";
import type { ProgramAnswer, ProgramCall } from "../sandbox.ts";
import { type JournaledCall, type ProgramJournal, toJournaledCall } from "./program-journal.ts";

/** How the calls of a program are made. */
export interface CallMaker {
  /** Makes a call, or goes on with one that waited when the program was stopped. The reply never fails to come. */
  readonly make: (call: ProgramCall, waited: boolean, onReply: (reply: Reply) => void) => void;
  /** Whether the program can be stopped while a call waits for a person. */
  readonly canWait: boolean;
  /** So many calls run at once; the others wait for their turn. */
  readonly atOnce: number;
  /** The arguments of calls that are not answered yet have at most so many characters together. */
  readonly mostWaiting: number;
  /** They have more. */
  readonly onFlood: () => void;
  /** The program can do nothing until a person has answered. */
  readonly onStuck: () => void;
  /** The program does not do what it did before, so what was answered then means nothing now. */
  readonly onMismatch: (message: string) => void;
}

/**
 * Answers the calls of one program. A program that was stopped is given the answers of before in the order of before, and is
 * held to making the same calls; from there on its calls are made.
 */
export class ProgramCalls {
  readonly #maker: CallMaker;
  readonly #earlier: Pick<ProgramJournal, "calls" | "answers">;
  readonly #calls: JournaledCall[] = [];
  /** In the order in which the program was given them. */
  readonly #answers: (readonly [number: number, answer: ProgramAnswer])[] = [];
  readonly #resolvers = new Map<number, (answer: ProgramAnswer) => void>();
  readonly #waiting = new Map<number, ApprovalRequest>();
  #queue: (() => void)[] = [];
  #running = 0;
  /** Of the arguments of calls that are not answered yet: each, and together. */
  readonly #lengths = new Map<number, number>();
  #waitingLength = 0;
  #answersTaken: number | undefined;
  #isOver = false;

  constructor(maker: CallMaker, earlier: Pick<ProgramJournal, "calls" | "answers"> | undefined) {
    this.#maker = maker;
    this.#earlier = earlier ?? { calls: [], answers: [] };
  }

  /** What the program has done so far. */
  get journal(): Pick<ProgramJournal, "calls" | "answers"> {
    return { calls: this.#calls, answers: this.#answers };
  }

  /** What a person must answer before the program can go on. */
  get waitsFor(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()];
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Starts no call any more, whatever the program still does and whatever still waits for its turn. */
  end(): void {
    this.#isOver = true;
    this.#queue = [];
  }

  /** Takes a call of the program, in the order in which it makes them. */
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
      // Not at once: whoever made the promise must hear of it before another promise that is kept here.
      queueMicrotask(() => this.#take(call, before !== undefined));
    });

  /** The program has nothing to do until it is given an answer; it has taken so many. */
  readonly idle = (answersTaken: number): void =>
    queueMicrotask(() => {
      this.#answersTaken = answersTaken;
      const isIdle = answersTaken === this.#answers.length;
      if (isIdle && this.#answers.length < this.#earlier.answers.length) {
        this.end();
        this.#maker.onMismatch("it does not make a call that it made when it was stopped");
      } else this.#checkStuck();
    });

  #take(call: ProgramCall, wasMade: boolean): void {
    if (this.#isOver) return;
    if (this.#earlier.answers.some(([number]) => number === call.number)) this.#giveEarlier();
    else this.#enqueue(call, wasMade);
  }

  /** Another call than before; or one more, before anything was answered that had not been answered then. */
  #isMismatch([tool, inputHash]: JournaledCall, before: JournaledCall | undefined): boolean {
    if (before !== undefined) return before[0] !== tool || before[1] !== inputHash;
    return this.#earlier.calls.length > 0 && this.#answers.length <= this.#earlier.answers.length;
  }

  /** Gives the answers of before, as far as their calls have been made, and never one before its turn. */
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

  /** What is new begins only when everything of before is answered. */
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

  /** Nothing runs, neither in the program nor outside of it, and every call that it waits for waits for a person. */
  #checkStuck(): void {
    const allWait = this.#waiting.size > 0 && this.#waiting.size === this.#resolvers.size;
    if (allWait && this.#answersTaken === this.#answers.length) this.#maker.onStuck();
  }
}

const mismatchMessage = ({ number, name }: ProgramCall, before: JournaledCall | undefined): string => {
  const now = `its call ${number + 1} is now one of "${name}"`;
  if (before === undefined) return `${now}, which it did not make when it was stopped`;
  return before[0] === name ? `${now} with other arguments` : `${now}, and was one of "${before[0]}"`;
};

/** The text of a reply is JSON already, unless the result is a string. */
const toJson = ({ text, value }: Reply): string =>
  typeof value === "string" ? JSON.stringify(text) : text === "" ? "null" : text;

const toAnswer = (reply: Reply): ProgramAnswer => {
  if (reply.ok) return { ok: true, value: toJson(reply) };
  const code = reply.failure?.code ?? (reply.pending === undefined ? undefined : "approval_required");
  const message = reply.text.replace(/^Error: /, "");
  return code === undefined ? { ok: false, message } : { ok: false, message, code };
};
