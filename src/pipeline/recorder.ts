import { hashInput } from "../base/json/hash-input.ts";
import { headOf } from "../base/text/cut-text.ts";
import type { CallRecord, RunCounters } from "../types/call.ts";
import type { Attempt, AttemptEnding } from "../types/ledger.ts";
import { joinTaints, type Suspension } from "../types/outcome.ts";

/** A tool that says too much is not listened to for ever. */
const maxNotesPerCall = 50;
const maxNoteLength = 500;
const noStrings: readonly string[] = Object.freeze([]);
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
export let recordValue: (recorder: CallRecorder, value: unknown) => void;
/** What the code gave, where a layer put something else in its place. */
export let recordReplacedValue: (recorder: CallRecorder, value: unknown) => void;
export let recordChangedInput: (recorder: CallRecorder, input: unknown) => void;
/** A call that waited goes on in a run that somebody has claimed since: what it costs counts there. */
export let joinRun: (recorder: CallRecorder, run: RunCounters) => void;
export let recordKeyHeld: (recorder: CallRecorder) => void;
/** The key of the tool that this call holds, with the arguments it stands for; undefined once it holds none. */
export let recordEffectKey: (recorder: CallRecorder, claim: string | undefined) => void;
/** What the code needs to be started again, should it fail with the question that it waits for. */
export let recordSuspension: (recorder: CallRecorder, suspension: Suspension) => void;
export let addTaints: (recorder: CallRecord, taints: readonly string[]) => void;
/** Set aside before it is spent, so that calls at once cannot spend more together than a rule allows. */
export let reserveCost: (recorder: CallRecorder, amount: number) => void;
export let addCost: (recorder: CallRecorder, amount: number) => void;
/** Policy decides about the call now, by what its run has spent so far. */
export let markDecision: (recorder: CallRecorder) => void;
/** Whether other calls of the run started or spent something since policy decided about this one. */
export let hasRunAdvancedSince: (recorder: CallRecorder) => boolean;
/** What the call holds while it may spend something that nobody can foresee. */
export let holdCostTurn: (recorder: CallRecorder, release: () => void) => void;
export let releaseCostTurn: (recorder: CallRecorder) => void;
/** The call is over: its grant is dead, and what was set aside and not spent is given back. */
export let closeRecorder: (recorder: CallRecorder) => void;
export let countCall: (run: RunCounters, by: 1 | -1) => void;
export let addRunTaints: (run: RunCounters, taints: readonly string[]) => void;
/** Calls of the run of which nobody knows whether they took effect. */
export let addUnknownCall: (run: RunCounters, call: string) => void;
export let unknownCallsOf: (run: RunCounters) => ReadonlySet<string> | undefined;
let spendCost: (run: RunCounters, spent: number, reserved: number) => void;

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
export interface ResumedCallRecord {
  readonly notes?: readonly string[] | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  readonly taints?: readonly string[] | undefined;
  /** What the code kept when it was stopped to wait for calls of its own. */
  readonly journal?: string | undefined;
}

/** What one call has come to. Layers hold it and read it; writing it takes the functions of this file. */
export class CallRecorder implements CallRecord {
  #run: RunCounters;
  readonly #mask: (text: string) => string;
  #attempts = noAttempts;
  #isOpen = true;
  #cost: number | undefined;
  #reserved = 0;
  #taints = noStrings;
  #notes: readonly string[];
  #lastValue: { readonly value: unknown } | undefined;
  #replacedValue: { readonly value: unknown } | undefined;
  #changedInput: { readonly input: unknown } | undefined;
  #isKeyHeld = false;
  #effectKey: string | undefined;
  readonly #journal: string | undefined;
  #suspension: Suspension | undefined;
  #releaseCostTurn: (() => void) | undefined;
  #runAtDecision: { readonly calls: number; readonly cost: number } | undefined;

  constructor(run: RunCounters, mask: (text: string) => string, earlier: ResumedCallRecord = {}) {
    this.#run = run;
    this.#mask = mask;
    this.#notes = earlier.notes ?? noStrings;
    this.#attempts = earlier.attempts ?? noAttempts;
    this.#taints = earlier.taints ?? noStrings;
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
    return this.#replacedValue;
  }

  /** What the code got, where that is not what came. */
  get ranWith(): { readonly input: unknown } | undefined {
    return this.#changedInput;
  }

  /** The caller's own key stands for this call: nobody used it before. */
  get holdsKey(): boolean {
    return this.#isKeyHeld;
  }

  /** The key of the tool that this call claimed, with the arguments it stands for. */
  get effectKey(): string | undefined {
    return this.#effectKey;
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
    if (!this.#isOpen || this.#notes.length >= maxNotesPerCall) return;
    this.#notes = [...this.#notes, headOf(this.#mask(String(text)), maxNoteLength)];
  }

  static {
    startAttempt = (recorder, startedAt, input, mayRepeat) => {
      const attempts = recorder.#attempts;
      if (!mayRepeat && attempts.some(({ ran, ending }) => ran && ending !== "suspended")) return undefined;
      const attempt = new AttemptRecord(attempts.length + 1, startedAt, input);
      recorder.#attempts = Object.freeze([...attempts, attempt]);
      return attempt;
    };
    recordValue = (recorder, value) => {
      recorder.#lastValue = { value };
    };
    recordReplacedValue = (recorder, value) => {
      recorder.#replacedValue = { value };
    };
    recordChangedInput = (recorder, input) => {
      recorder.#changedInput = { input };
    };
    joinRun = (recorder, run) => {
      recorder.#run = run;
    };
    recordKeyHeld = (recorder) => {
      recorder.#isKeyHeld = true;
    };
    recordEffectKey = (recorder, claim) => {
      recorder.#effectKey = claim;
    };
    recordSuspension = (recorder, suspension) => {
      recorder.#suspension = suspension;
    };
    addTaints = (recorder, taints) => {
      if (#taints in recorder) recorder.#taints = joinTaints(recorder.#taints, taints);
    };
    reserveCost = (recorder, amount) => {
      recorder.#reserved += amount;
      spendCost(recorder.#run, 0, amount);
    };
    addCost = (recorder, amount) => {
      // What is no amount would make the whole run's cost none.
      if (!recorder.#isOpen || !Number.isFinite(amount) || amount < 0) return;
      recorder.#cost = (recorder.#cost ?? 0) + amount;
      const used = Math.min(recorder.#reserved, amount);
      recorder.#reserved -= used;
      spendCost(recorder.#run, amount, -used);
    };
    markDecision = (recorder) => {
      const { calls, cost } = recorder.#run;
      recorder.#runAtDecision = { calls, cost };
    };
    hasRunAdvancedSince = (recorder) => {
      const before = recorder.#runAtDecision;
      const { calls, cost } = recorder.#run;
      return before !== undefined && (before.calls !== calls || before.cost !== cost);
    };
    holdCostTurn = (recorder, release) => {
      recorder.#releaseCostTurn = release;
    };
    releaseCostTurn = (recorder) => {
      recorder.#releaseCostTurn?.();
      recorder.#releaseCostTurn = undefined;
    };
    closeRecorder = (recorder) => {
      if (!recorder.#isOpen) return;
      recorder.#isOpen = false;
      spendCost(recorder.#run, 0, -recorder.#reserved);
      recorder.#reserved = 0;
    };
  }
}

/** What a run has come to: counted with each grant, so that the calls of one turn see each other. */
export class RunRecorder implements RunCounters {
  readonly #outerRun: RunCounters | undefined;
  #calls: number;
  #spent: number;
  #reserved = 0;
  #taints: readonly string[];
  #unknownCalls: Set<string> | undefined;

  /** `within`: the run of the call that this run is inside of. What is spent here is spent there. */
  constructor({ calls = 0, cost = 0, taints = noStrings }: Partial<RunCounters> = {}, within?: RunCounters) {
    this.#outerRun = within;
    this.#calls = calls;
    this.#spent = cost;
    this.#taints = taints.length === 0 ? noStrings : Object.freeze([...new Set(taints)]);
    Object.freeze(this);
  }

  get calls(): number {
    return this.#outerRun?.calls ?? this.#calls;
  }

  get cost(): number {
    return this.#outerRun?.cost ?? this.#spent + this.#reserved;
  }

  get taints(): readonly string[] {
    return this.#taints;
  }

  static {
    countCall = (run, by) => {
      if (!(#calls in run)) return;
      run.#calls += by;
      if (run.#outerRun !== undefined) countCall(run.#outerRun, by);
    };
    spendCost = (run, spent, reserved) => {
      if (!(#calls in run)) return;
      run.#spent += spent;
      run.#reserved += reserved;
      if (run.#outerRun !== undefined) spendCost(run.#outerRun, spent, reserved);
    };
    addRunTaints = (run, taints) => {
      if (#calls in run) run.#taints = joinTaints(run.#taints, taints);
    };
    addUnknownCall = (run, call) => {
      if (!(#calls in run)) return;
      run.#unknownCalls ??= new Set();
      run.#unknownCalls.add(call);
    };
    unknownCallsOf = (run) => (#calls in run ? run.#unknownCalls : undefined);
  }
}
