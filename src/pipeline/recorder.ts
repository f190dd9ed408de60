import { hashInput } from "../base/json/canonical-json.ts";
import { headOf } from "../base/text/cut-text.ts";
import type { CallRecord, RunCounters } from "../types/call.ts";
import type { Attempt, AttemptEnding } from "../types/ledger.ts";
import type { ApprovedCall, RunPlan, RunText } from "../types/lineage.ts";
import { joinTaints, type Suspension } from "../types/outcome.ts";
import { LineageRecorder } from "./run-lineage.ts";

const maxNotesPerCall = 50;
const maxNoteLength = 500;
const noStrings: readonly string[] = Object.freeze([]);
const noAttempts: readonly Attempt[] = Object.freeze([]);

export interface ResumedCallRecord {
  readonly notes?: readonly string[] | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  readonly taints?: readonly string[] | undefined;
  readonly journal?: string | undefined;
}

/** What happens to one call. Layers and tools see it as a `CallRecord`; only the pipeline writes it. */
export class CallRecorder implements CallRecord {
  attempts: readonly Attempt[];
  cost: number | undefined;
  taints: readonly string[];
  notes: readonly string[];
  isOpen = true;
  lastValue: { readonly value: unknown } | undefined;
  replaced: { readonly value: unknown } | undefined;
  ranWith: { readonly input: unknown } | undefined;
  holdsKey = false;
  effectKey: string | undefined;
  suspension: Suspension | undefined;
  readonly journal: string | undefined;
  run: RunCounters;
  readonly #mask: (text: string) => string;
  #reserved = 0;
  #releaseCostTurn: (() => void) | undefined;
  #runAtDecision: { readonly calls: number; readonly cost: number } | undefined;

  constructor(run: RunCounters, mask: (text: string) => string, earlier: ResumedCallRecord = {}) {
    this.run = run;
    this.#mask = mask;
    this.notes = earlier.notes ?? noStrings;
    this.attempts = earlier.attempts ?? noAttempts;
    this.taints = earlier.taints ?? noStrings;
    this.journal = earlier.journal;
  }

  get hasRun(): boolean {
    return this.attempts.some(({ ran }) => ran);
  }

  note(text: string): void {
    if (!this.isOpen || this.notes.length >= maxNotesPerCall) return;
    this.notes = [...this.notes, headOf(this.#mask(String(text)), maxNoteLength)];
  }

  addTaints(taints: readonly string[]): void {
    this.taints = joinTaints(this.taints, taints);
  }

  /** Undefined if an earlier attempt may have taken effect and the call must not be repeated. */
  startAttempt(startedAt: number, input: unknown, mayRepeat: boolean): AttemptRecord | undefined {
    if (!mayRepeat && this.attempts.some(({ ran, ending }) => ran && ending !== "suspended"))
      return undefined;
    const attempt = new AttemptRecord(this.attempts.length + 1, startedAt, input);
    this.attempts = [...this.attempts, attempt];
    return attempt;
  }

  /** Reserves cost before the start, so that parallel calls cannot exceed a limit together. */
  reserveCost(amount: number): void {
    this.#reserved += amount;
    spendCost(this.run, 0, amount);
  }

  addCost(amount: number): void {
    // Ignores invalid amounts, which would corrupt the run's total.
    if (!this.isOpen || !Number.isFinite(amount) || amount < 0) return;
    this.cost = (this.cost ?? 0) + amount;
    const used = Math.min(this.#reserved, amount);
    this.#reserved -= used;
    spendCost(this.run, amount, -used);
  }

  markDecision(): void {
    const { calls, cost } = this.run;
    this.#runAtDecision = { calls, cost };
  }

  hasRunAdvanced(): boolean {
    const before = this.#runAtDecision;
    const { calls, cost } = this.run;
    return before !== undefined && (before.calls !== calls || before.cost !== cost);
  }

  holdCostTurn(release: () => void): void {
    this.#releaseCostTurn = release;
  }

  releaseCostTurn(): void {
    this.#releaseCostTurn?.();
    this.#releaseCostTurn = undefined;
  }

  /** Voids the call's permit and releases unspent reservations. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    spendCost(this.run, 0, -this.#reserved);
    this.#reserved = 0;
  }
}

/** The hash is computed on first use. */
export class AttemptRecord implements Attempt {
  readonly number: number;
  readonly startedAt: number;
  ending: AttemptEnding = "unknown";
  ran = true;
  readonly #input: unknown;
  #inputHash: string | undefined;

  constructor(number: number, startedAt: number, input: unknown) {
    this.number = number;
    this.startedAt = startedAt;
    this.#input = input;
  }

  get inputHash(): string {
    this.#inputHash ??= hashInput(this.#input);
    return this.#inputHash;
  }

  end(ending: AttemptEnding, ran: boolean): void {
    this.ending = ending;
    this.ran = ran;
  }

  toJSON(): Attempt {
    const { number, startedAt, inputHash, ending, ran } = this;
    return { number, startedAt, inputHash, ending, ran };
  }
}

export class RunRecorder implements RunCounters {
  readonly outerRun: RunCounters | undefined;
  taints: readonly string[];
  unknownCalls: Map<string, Set<string>> | undefined;
  #calls: number;
  #spent: number;
  #reserved = 0;
  readonly lineage: LineageRecorder;

  /** `within`: the run around this one, which also counts calls, costs and unknown calls. */
  constructor({ calls = 0, cost = 0, taints = noStrings }: Partial<RunCounters> = {}, within?: RunCounters) {
    this.outerRun = within;
    this.#calls = calls;
    this.#spent = cost;
    this.taints = taints.length === 0 ? noStrings : Object.freeze([...new Set(taints)]);
    // What the outer run has read can have chosen the input of this one.
    this.lineage = within instanceof RunRecorder ? within.lineage : new LineageRecorder();
    if (taints.length > 0) this.lineage.addUnknownContent();
  }

  get calls(): number {
    return this.outerRun?.calls ?? this.#calls;
  }

  get cost(): number {
    return this.outerRun?.cost ?? this.#spent + this.#reserved;
  }

  count(by: 1 | -1): void {
    this.#calls += by;
    if (this.outerRun !== undefined) countCall(this.outerRun, by);
  }

  spend(spent: number, reserved: number): void {
    this.#spent += spent;
    this.#reserved += reserved;
    if (this.outerRun !== undefined) spendCost(this.outerRun, spent, reserved);
  }
}

// The counters of a `RunScope` that a test or another version of the package made are only read.

export const countCall = (run: RunCounters, by: 1 | -1): void => {
  if (run instanceof RunRecorder) run.count(by);
};

const spendCost = (run: RunCounters, spent: number, reserved: number): void => {
  if (run instanceof RunRecorder) run.spend(spent, reserved);
};

export const addRunTaints = (run: RunCounters, taints: readonly string[]): void => {
  if (!(run instanceof RunRecorder)) return;
  if (taints.some((taint) => !run.taints.includes(taint))) run.lineage.addUnknownContent();
  run.taints = joinTaints(run.taints, taints);
};

export const recordRunText = (run: RunCounters, text: RunText): void => {
  if (run instanceof RunRecorder) run.lineage.add(text);
};

/** Values of an approved call count as approved for the same tool and role in the rest of the run. */
export const recordApprovedCall = (run: RunCounters, call: ApprovedCall): void => {
  if (run instanceof RunRecorder) run.lineage.approve(call);
};

export const recordRunPlan = (run: RunCounters, plan: RunPlan): void => {
  if (run instanceof RunRecorder) run.lineage.declare(plan);
};

/** A call outside of the plan was requested, so the plan covers no further call. */
export const leaveRunPlan = (run: RunCounters): void => {
  if (run instanceof RunRecorder) run.lineage.hasLeftPlan = true;
};

export const callFingerprint = (tool: string, inputHash: string): string => `${tool}\n${inputHash}`;

/** The ledger keeps the hash even without the text. */
export const callTextFingerprint = (tool: string, textHash: string): string => `${tool}\ntext ${textHash}`;

/** A repeat of such a call requires approval. Keeps the entries, because one of them may be settled later. */
export const addUnknownCall = (run: RunCounters, call: string, entryId: string): void => {
  if (!(run instanceof RunRecorder)) return;
  if (run.outerRun instanceof RunRecorder) {
    addUnknownCall(run.outerRun, call, entryId);
    return;
  }
  run.unknownCalls ??= new Map();
  const entries = run.unknownCalls.get(call);
  if (entries === undefined) run.unknownCalls.set(call, new Set([entryId]));
  else entries.add(entryId);
};

export const unknownCallsOf = (run: RunCounters): ReadonlyMap<string, ReadonlySet<string>> | undefined => {
  if (!(run instanceof RunRecorder)) return undefined;
  return run.outerRun instanceof RunRecorder ? unknownCallsOf(run.outerRun) : run.unknownCalls;
};
