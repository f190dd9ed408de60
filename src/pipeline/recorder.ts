import { hashInput } from "../base/json/hash-input.ts";
import { headOf } from "../base/text/cut-text.ts";
import type { CallRecord, RunCounters } from "../types/call.ts";
import type { Attempt, AttemptEnding } from "../types/ledger.ts";
import { joinTaints, type Suspension } from "../types/outcome.ts";

const maxNotesPerCall = 50;
const maxNoteLength = 500;
const noStrings: readonly string[] = Object.freeze([]);
const noAttempts: readonly Attempt[] = Object.freeze([]);

// Layers and tools hold these objects, so the mutable fields are private. Only the pipeline imports the
// functions that write them.

/**
 * Starts an attempt. Undefined if an earlier attempt may have taken effect and the call must not be repeated.
 */
export let startAttempt: (
  recorder: CallRecorder,
  startedAt: number,
  input: unknown,
  mayRepeat: boolean,
) => Attempt | undefined;
export let endAttempt: (attempt: Attempt, ending: AttemptEnding, ran: boolean) => void;
export let recordValue: (recorder: CallRecorder, value: unknown) => void;
export let recordReplacedValue: (recorder: CallRecorder, value: unknown) => void;
export let recordChangedInput: (recorder: CallRecorder, input: unknown) => void;
export let joinRun: (recorder: CallRecorder, run: RunCounters) => void;
export let recordKeyHeld: (recorder: CallRecorder) => void;
export let recordEffectKey: (recorder: CallRecorder, claim: string | undefined) => void;
export let recordSuspension: (recorder: CallRecorder, suspension: Suspension) => void;
export let addTaints: (recorder: CallRecord, taints: readonly string[]) => void;
/** Reserves cost before the start, so that parallel calls cannot exceed a limit together. */
export let reserveCost: (recorder: CallRecorder, amount: number) => void;
export let addCost: (recorder: CallRecorder, amount: number) => void;
export let markDecision: (recorder: CallRecorder) => void;
export let hasRunAdvancedSince: (recorder: CallRecorder) => boolean;
export let holdCostTurn: (recorder: CallRecorder, release: () => void) => void;
export let releaseCostTurn: (recorder: CallRecorder) => void;
/** Voids the call's permit and releases unspent reservations. */
export let closeRecorder: (recorder: CallRecorder) => void;
export let countCall: (run: RunCounters, by: 1 | -1) => void;
export let addRunTaints: (run: RunCounters, taints: readonly string[]) => void;
/** Keeps the entries of each call whose effect is unknown, because one of them may be settled later. */
export let addUnknownCall: (run: RunCounters, call: string, entryId: string) => void;
export let unknownCallsOf: (run: RunCounters) => ReadonlyMap<string, ReadonlySet<string>> | undefined;
let spendCost: (run: RunCounters, spent: number, reserved: number) => void;

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

export interface ResumedCallRecord {
  readonly notes?: readonly string[] | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  readonly taints?: readonly string[] | undefined;
  readonly journal?: string | undefined;
}

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

  get hasRun(): boolean {
    return this.#attempts.some(({ ran }) => ran);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  get lastValue(): { readonly value: unknown } | undefined {
    return this.#lastValue;
  }

  get replaced(): { readonly value: unknown } | undefined {
    return this.#replacedValue;
  }

  get ranWith(): { readonly input: unknown } | undefined {
    return this.#changedInput;
  }

  get holdsKey(): boolean {
    return this.#isKeyHeld;
  }

  get effectKey(): string | undefined {
    return this.#effectKey;
  }

  get journal(): string | undefined {
    return this.#journal;
  }

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
      // Ignores invalid amounts, which would corrupt the run's total.
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

export class RunRecorder implements RunCounters {
  readonly #outerRun: RunCounters | undefined;
  #calls: number;
  #spent: number;
  #reserved = 0;
  #taints: readonly string[];
  #unknownCalls: Map<string, Set<string>> | undefined;

  /** `within`: the run around this one, which also counts calls, costs and unknown calls. */
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
    addUnknownCall = (run, call, entryId) => {
      if (!(#calls in run)) return;
      const outer = run.#outerRun;
      if (outer !== undefined && #calls in outer) return addUnknownCall(outer, call, entryId);
      run.#unknownCalls ??= new Map();
      const entries = run.#unknownCalls.get(call);
      if (entries === undefined) run.#unknownCalls.set(call, new Set([entryId]));
      else entries.add(entryId);
    };
    unknownCallsOf = (run) => {
      if (!(#calls in run)) return undefined;
      const outer = run.#outerRun;
      return outer !== undefined && #calls in outer ? unknownCallsOf(outer) : run.#unknownCalls;
    };
  }
}
