import { hashInput } from "../json/hash-input.ts";
import { headOf } from "../text/cut-text.ts";
import type { CallRecord, RunTally } from "../words/call.ts";
import type { Attempt, AttemptEnding } from "../words/ledger.ts";
import { joinTaints, type Suspension } from "../words/outcome.ts";

/** A tool that says too much is not listened to for ever. */
const mostNotes = 50;
const longestNote = 500;
const none: readonly string[] = Object.freeze([]);
const noAttempts: readonly Attempt[] = Object.freeze([]);

// Layers and tools hold the objects of these classes, which are frozen: what is counted is in private fields. What
// follows writes those, is set by the classes themselves, and is imported by the corridor alone.

/** Starts an attempt, or nothing where one that may not be repeated may have taken effect. */
export let startAttempt: (
  recorder: CallRecorder,
  startedAt: number,
  input: unknown,
  mayRepeat: boolean,
) => Attempt | undefined;
export let endAttempt: (attempt: Attempt, ending: AttemptEnding, ran: boolean) => void;
export let keepValue: (recorder: CallRecorder, value: unknown) => void;
/** What the code gave, where a layer put something else in its place. */
export let keepReplaced: (recorder: CallRecorder, value: unknown) => void;
export let keepInput: (recorder: CallRecorder, input: unknown) => void;
/** A call that waited goes on in a run that somebody has claimed since: what it costs counts there. */
export let joinRun: (recorder: CallRecorder, run: RunTally) => void;
export let keepKey: (recorder: CallRecorder) => void;
/** What the code needs to be started again, should it fail with the question that it waits for. */
export let keepSuspension: (recorder: CallRecorder, suspension: Suspension) => void;
export let addTaints: (recorder: CallRecord, taints: readonly string[]) => void;
/** Set aside before it is spent, so that calls at once cannot spend more together than a rule allows. */
export let reserveCost: (recorder: CallRecorder, amount: number) => void;
export let addCost: (recorder: CallRecorder, amount: number) => void;
/** What the call holds while it may spend something that nobody can foresee. */
export let holdTurn: (recorder: CallRecorder, release: () => void) => void;
export let releaseTurn: (recorder: CallRecorder) => void;
/** The call is over: its grant is dead, and what was set aside and not spent is given back. */
export let closeRecorder: (recorder: CallRecorder) => void;
export let countCall: (run: RunTally, by: 1 | -1) => void;
export let addRunTaints: (run: RunTally, taints: readonly string[]) => void;
/** Calls of the run of which nobody knows whether they took effect. */
export let addUnknown: (run: RunTally, call: string) => void;
export let unknownCalls: (run: RunTally) => ReadonlySet<string> | undefined;
let spend: (run: RunTally, spent: number, reserved: number) => void;

/** One start of the code. Until it has answered its ending is `unknown`, and so it stays if nobody waits for it. */
class AttemptRecord implements Attempt {
  readonly number: number;
  readonly startedAt: number;
  readonly #input: unknown;
  #inputHash: string | undefined;
  #ending: AttemptEnding = "unknown";
  #ran = true;

  constructor(number: number, startedAt: number, input: unknown) {
    this.number = number;
    this.startedAt = startedAt;
    this.#input = input;
    Object.freeze(this);
  }

  get inputHash(): string {
    this.#inputHash ??= hashInput(this.#input);
    return this.#inputHash;
  }

  get ending(): AttemptEnding {
    return this.#ending;
  }

  get ran(): boolean {
    return this.#ran;
  }

  toJSON(): Attempt {
    const { number, startedAt, inputHash, ending, ran } = this;
    return { number, startedAt, inputHash, ending, ran };
  }

  static {
    endAttempt = (attempt, ending, ran) => {
      if (!(#ran in attempt)) return;
      attempt.#ending = ending;
      attempt.#ran = ran;
    };
  }
}

/** What is on record of a call that goes on. */
export interface EarlierRecord {
  readonly notes?: readonly string[] | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  readonly taints?: readonly string[] | undefined;
  /** What the code kept when it was stopped to wait for calls of its own. */
  readonly journal?: string | undefined;
}

/** What one call has come to. Layers hold it and read it; writing it takes the functions of this file. */
export class CallRecorder implements CallRecord {
  #run: RunTally;
  readonly #mask: (text: string) => string;
  #attempts = noAttempts;
  #isOpen = true;
  #cost: number | undefined;
  #reserved = 0;
  #taints = none;
  #notes: readonly string[];
  #lastValue: { readonly value: unknown } | undefined;
  #replaced: { readonly value: unknown } | undefined;
  #ranWith: { readonly input: unknown } | undefined;
  #holdsKey = false;
  readonly #journal: string | undefined;
  #suspension: Suspension | undefined;
  #releaseTurn: (() => void) | undefined;

  constructor(run: RunTally, mask: (text: string) => string, earlier: EarlierRecord = {}) {
    this.#run = run;
    this.#mask = mask;
    this.#notes = earlier.notes ?? none;
    this.#attempts = earlier.attempts ?? noAttempts;
    this.#taints = earlier.taints ?? none;
    this.#journal = earlier.journal;
    Object.freeze(this);
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  get cost(): number | undefined {
    return this.#cost;
  }

  get taints(): readonly string[] {
    return this.#taints;
  }

  /** Whether the code may have taken effect: whoever answers in its place cannot know. */
  get hasRun(): boolean {
    return this.#attempts.some(({ ran }) => ran);
  }

  /** False once the call is over: nothing starts under its grant any more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** What the code gave last, before any layer saw it. */
  get lastValue(): { readonly value: unknown } | undefined {
    return this.#lastValue;
  }

  /** What the code gave, where a layer put something else in its place. */
  get replaced(): { readonly value: unknown } | undefined {
    return this.#replaced;
  }

  /** What the code got, where that is not what came. */
  get ranWith(): { readonly input: unknown } | undefined {
    return this.#ranWith;
  }

  /** The caller's own key stands for this call: nobody used it before. */
  get holdsKey(): boolean {
    return this.#holdsKey;
  }

  /** What the code kept when it was stopped before. */
  get journal(): string | undefined {
    return this.#journal;
  }

  /** What the code leaves behind to be started again, because calls of its own wait. */
  get suspension(): Suspension | undefined {
    return this.#suspension;
  }

  note(text: string): void {
    if (!this.#isOpen || this.#notes.length >= mostNotes) return;
    this.#notes = [...this.#notes, headOf(this.#mask(String(text)), longestNote)];
  }

  static {
    startAttempt = (recorder, startedAt, input, mayRepeat) => {
      const attempts = recorder.#attempts;
      if (!mayRepeat && attempts.some(({ ran, ending }) => ran && ending !== "suspended")) return undefined;
      const attempt = new AttemptRecord(attempts.length + 1, startedAt, input);
      recorder.#attempts = Object.freeze([...attempts, attempt]);
      return attempt;
    };
    keepValue = (recorder, value) => {
      recorder.#lastValue = { value };
    };
    keepReplaced = (recorder, value) => {
      recorder.#replaced = { value };
    };
    keepInput = (recorder, input) => {
      recorder.#ranWith = { input };
    };
    joinRun = (recorder, run) => {
      recorder.#run = run;
    };
    keepKey = (recorder) => {
      recorder.#holdsKey = true;
    };
    keepSuspension = (recorder, suspension) => {
      recorder.#suspension = suspension;
    };
    addTaints = (recorder, taints) => {
      if (#taints in recorder) recorder.#taints = joinTaints(recorder.#taints, taints);
    };
    reserveCost = (recorder, amount) => {
      recorder.#reserved += amount;
      spend(recorder.#run, 0, amount);
    };
    addCost = (recorder, amount) => {
      // What is no amount would make the whole run's cost none.
      if (!recorder.#isOpen || !Number.isFinite(amount) || amount < 0) return;
      recorder.#cost = (recorder.#cost ?? 0) + amount;
      const used = Math.min(recorder.#reserved, amount);
      recorder.#reserved -= used;
      spend(recorder.#run, amount, -used);
    };
    holdTurn = (recorder, release) => {
      recorder.#releaseTurn = release;
    };
    releaseTurn = (recorder) => {
      recorder.#releaseTurn?.();
      recorder.#releaseTurn = undefined;
    };
    closeRecorder = (recorder) => {
      if (!recorder.#isOpen) return;
      recorder.#isOpen = false;
      spend(recorder.#run, 0, -recorder.#reserved);
      recorder.#reserved = 0;
    };
  }
}

/** What a run has come to: counted with each grant, so that the calls of one turn see each other. */
export class RunRecorder implements RunTally {
  readonly #within: RunTally | undefined;
  #calls: number;
  #spent: number;
  #reserved = 0;
  #taints: readonly string[];
  #unknown: Set<string> | undefined;

  /** `within`: the run of the call that this run is inside of. What is spent here is spent there. */
  constructor({ calls = 0, cost = 0, taints = none }: Partial<RunTally> = {}, within?: RunTally) {
    this.#within = within;
    this.#calls = calls;
    this.#spent = cost;
    this.#taints = taints.length === 0 ? none : Object.freeze([...new Set(taints)]);
    Object.freeze(this);
  }

  get calls(): number {
    return this.#within?.calls ?? this.#calls;
  }

  get cost(): number {
    return this.#within?.cost ?? this.#spent + this.#reserved;
  }

  get taints(): readonly string[] {
    return this.#taints;
  }

  static {
    countCall = (run, by) => {
      if (!(#calls in run)) return;
      run.#calls += by;
      if (run.#within !== undefined) countCall(run.#within, by);
    };
    spend = (run, spent, reserved) => {
      if (!(#calls in run)) return;
      run.#spent += spent;
      run.#reserved += reserved;
      if (run.#within !== undefined) spend(run.#within, spent, reserved);
    };
    addRunTaints = (run, taints) => {
      if (#calls in run) run.#taints = joinTaints(run.#taints, taints);
    };
    addUnknown = (run, call) => {
      if (!(#calls in run)) return;
      run.#unknown ??= new Set();
      run.#unknown.add(call);
    };
    unknownCalls = (run) => (#calls in run ? run.#unknown : undefined);
  }
}
