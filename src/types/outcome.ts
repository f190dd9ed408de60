import type { ApprovalRequest } from "./approval.ts";
import type { ContentPart, MediaKind } from "./content.ts";
import { type Failure, isFailure } from "./failure.ts";

const brand: unique symbol = Symbol.for("haft/outcome") as never;

/** What the turn does next. `rewrite` keeps the value it replaced, for the ledger. */
export type Flow =
  | { readonly kind: "continue" }
  | { readonly kind: "rewrite"; readonly original: unknown }
  | { readonly kind: "final" }
  | { readonly kind: "handoff"; readonly agent: string };

/** The outcome of a call that gave a value. */
export interface ValueOutcome {
  readonly [brand]: true;
  readonly _tag: "value";
  readonly value: unknown;
  readonly flow: Flow;
  /** Pictures, sounds and files besides the value: whoever keeps the outcome keeps them. */
  readonly parts?: readonly ContentPart[];
  /** Full names of the tools whose untrusted words are in it: whoever keeps the outcome keeps them. */
  readonly taints: readonly string[];
}

/** The outcome of a call that failed. */
export interface FailureOutcome {
  readonly [brand]: true;
  readonly _tag: "failure";
  readonly failure: Failure;
  /** Of a failure that says what a tool said. */
  readonly taints: readonly string[];
}

/** The outcome of a call that waits for a person. */
export interface PendingOutcome {
  readonly [brand]: true;
  readonly _tag: "pending";
  readonly approval: ApprovalRequest;
  /** Its code was started, and waits for calls of its own: it is started again once one of those is answered. */
  readonly suspension?: Suspension;
}

/** Code that was stopped because calls of its own wait for a person. */
export interface Suspension {
  /** What the code needs to come to the same place again. Only the code itself reads it. */
  readonly journal: string;
  /** The questions about its calls. A person answers those; `approval` is only the name under which it goes on. */
  readonly waitsFor: readonly ApprovalRequest[];
}

/** What came of a call. A tool or a layer may return one in place of a plain value. */
export type Outcome = ValueOutcome | FailureOutcome | PendingOutcome;

const continueFlow: Flow = Object.freeze({ kind: "continue" });
const finalFlow: Flow = Object.freeze({ kind: "final" });
const noTaints: readonly string[] = Object.freeze([]);

const makeValue = (given: unknown, flow: Flow, taints: readonly string[] = noTaints): ValueOutcome => ({
  [brand]: true,
  _tag: "value",
  value: given,
  flow,
  taints,
});

/** Makes the outcome of a call that gave this value, for a layer that answers in a tool's place. */
export const succeeded = (given: unknown, taints?: readonly string[]): ValueOutcome =>
  makeValue(given, continueFlow, taints);

/** Makes the outcome of a call that failed, for a layer that answers in a tool's place. */
export const failed = (failure: Failure, taints: readonly string[] = noTaints): FailureOutcome => ({
  [brand]: true,
  _tag: "failure",
  failure,
  taints,
});

export const pending = (approval: ApprovalRequest, suspension?: Suspension): PendingOutcome => ({
  [brand]: true,
  _tag: "pending",
  approval,
  ...(suspension === undefined ? {} : { suspension }),
});

/** Replaces what the model is told. The ledger keeps both values; without `original` the one that the code gave. */
export const rewrite = (given: unknown, original?: unknown): ValueOutcome =>
  makeValue(given, { kind: "rewrite", original });

/** Ends the run with this value once the other calls of the turn are answered. */
export const final = (given: unknown): ValueOutcome => makeValue(given, finalFlow);

/** Gives the conversation to another agent. */
export const handoff = (agent: string, given: unknown = { handoff: agent }): ValueOutcome =>
  makeValue(given, { kind: "handoff", agent });

/** A picture, a sound or a file as a tool gives it: bytes, base64, or an https address. */
export interface MediaInput {
  readonly kind: MediaKind;
  readonly mediaType: string;
  readonly name?: string;
  readonly data?: string | Uint8Array;
  readonly url?: string;
}

/**
 * Gives pictures, sounds or files besides a value. The value is held against the tool's output schema as ever; models that
 * take such parts see them, others are told in words. An outcome such as `final(…)` is given the same way.
 */
export const withMedia = (given: unknown, media: readonly MediaInput[]): ValueOutcome => {
  const outcome = isOutcome(given) && given._tag === "value" ? given : makeValue(given, continueFlow);
  const parts = media.map((part) =>
    part.data instanceof Uint8Array ? { ...part, data: toBase64(part.data) } : { ...part },
  );
  const all = Object.freeze([...(outcome.parts ?? []), ...(parts as readonly ContentPart[])]);
  valuesOfParts.set(all, { value: outcome.value });
  return { ...outcome, parts: all };
};

/** The outcome with a copy of its value, to which its media belong as they did. */
export const withCopiedValue = (outcome: ValueOutcome, copy: unknown): ValueOutcome => {
  if (outcome.parts === undefined || !hasOriginalParts(outcome)) return { ...outcome, value: copy };
  const parts = Object.freeze([...outcome.parts]);
  valuesOfParts.set(parts, { value: copy });
  return { ...outcome, value: copy, parts };
};

/** Which value each list of parts was given with. */
const valuesOfParts = new WeakMap<readonly ContentPart[], { readonly value: unknown }>();

/**
 * Whether media still stand beside the value that they were given with. A layer that put another value in its place, as
 * one that takes secrets out does, has not seen them, so they do not go on with it.
 */
export const hasOriginalParts = ({ value: now, parts }: ValueOutcome): boolean => {
  const given = parts === undefined ? undefined : valuesOfParts.get(parts);
  return given === undefined || Object.is(given.value, now);
};

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

export const taintsOfOutcome = (outcome: Outcome): readonly string[] =>
  outcome._tag === "pending" ? noTaints : (outcome.taints ?? noTaints);

/** The same outcome, with these tools among those whose words are in it. */
export const withTaints = <Any extends Outcome>(outcome: Any, more: readonly string[]): Any => {
  if (outcome._tag === "pending") return outcome;
  const taints = joinTaints(taintsOfOutcome(outcome), more);
  return taints === outcome.taints ? outcome : { ...outcome, taints };
};

/** Both, each once, in a list that nobody can change; one of the two as it is where the other adds nothing. */
export const joinTaints = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (others.length === 0) return freezeNames(some);
  if (some.length === 0) return freezeNames(others);
  return others.every((each) => some.includes(each))
    ? freezeNames(some)
    : Object.freeze([...new Set([...some, ...others])]);
};

const freezeNames = (names: readonly string[]): readonly string[] =>
  Object.isFrozen(names) ? names : Object.freeze([...names]);

/** Says that it is an outcome, which foreign code may say of anything. */
export const claimsOutcome = (value: unknown): value is object =>
  typeof value === "object" && value !== null && brand in value;

/** An outcome that keeps to its type, whoever made it: one without a flow or with an unknown code is none. */
export const isOutcome = (value: unknown): value is Outcome => {
  if (!claimsOutcome(value)) return false;
  const { _tag, flow, failure, approval } = value as ClaimedOutcome;
  if (_tag === "value") return flowKinds.has(flow?.kind);
  if (_tag === "failure") return isFailure(failure);
  return _tag === "pending" && typeof approval === "object";
};

interface ClaimedOutcome {
  readonly _tag?: unknown;
  readonly flow?: { readonly kind?: unknown };
  readonly failure?: unknown;
  readonly approval?: unknown;
}

const flowKinds: ReadonlySet<unknown> = new Set<Flow["kind"]>(["continue", "rewrite", "final", "handoff"]);
