import type { ApprovalRequest } from "./approval.ts";
import { type Failure, isFailure } from "./failure.ts";
import type { ContentPart, MediaKind } from "./message.ts";

const brand: unique symbol = Symbol.for("haft/outcome") as never;

/** How the turn continues. `rewrite` carries the value that it replaced, for the ledger. */
export type Flow =
  | { readonly kind: "continue" }
  | { readonly kind: "rewrite"; readonly original: unknown }
  | { readonly kind: "final" }
  | { readonly kind: "handoff"; readonly agent: string };

/** Outcome of a call that returned a value. */
export interface ValueOutcome {
  readonly [brand]: true;
  readonly _tag: "value";
  readonly value: unknown;
  readonly flow: Flow;
  /** Media in addition to the value. Code that keeps the outcome must keep them. */
  readonly parts?: readonly ContentPart[];
  /** Full names of tools whose untrusted content it contains. Code that keeps the outcome must keep them. */
  readonly taints: readonly string[];
}

/** Outcome of a call that failed. */
export interface FailureOutcome {
  readonly [brand]: true;
  readonly _tag: "failure";
  readonly failure: Failure;
  /** Set if the failure repeats content of a tool. */
  readonly taints: readonly string[];
}

/** Outcome of a call that waits for approval. */
export interface PendingOutcome {
  readonly [brand]: true;
  readonly _tag: "pending";
  readonly approval: ApprovalRequest;
  /** Set if the code was started and waits for its own calls. */
  readonly suspension?: Suspension;
}

export interface Suspension {
  readonly journal: string;
  /**
   * Approval requests of the code's own calls. Approvers answer these; `approval` only identifies the
   * suspended call.
   */
  readonly waitsFor: readonly ApprovalRequest[];
}

/** The result of a call. A tool or a layer may return one instead of a plain value. */
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

/** Creates the outcome of a successful call, for layers that answer instead of a tool. */
export const succeeded = (given: unknown, taints?: readonly string[]): ValueOutcome =>
  makeValue(given, continueFlow, taints);

/** Creates the outcome of a failed call, for layers that answer instead of a tool. */
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

/**
 * Replaces the value for the model. The ledger also keeps `original`, or the value that the code returned.
 */
export const rewrite = (given: unknown, original?: unknown): ValueOutcome =>
  makeValue(given, { kind: "rewrite", original });

/** Ends the run with this value once the other calls of the turn are answered. */
export const final = (given: unknown): ValueOutcome => makeValue(given, finalFlow);

/** Hands the conversation over to another agent. */
export const handoff = (agent: string, given: unknown = { handoff: agent }): ValueOutcome =>
  makeValue(given, { kind: "handoff", agent });

/** An image, audio or file as a tool returns it: bytes, base64, or an https URL. */
export interface MediaInput {
  readonly kind: MediaKind;
  readonly mediaType: string;
  readonly name?: string;
  readonly data?: string | Uint8Array;
  readonly url?: string;
}

/** Adds media to a value or to an outcome such as `final(…)`. */
export const withMedia = (given: unknown, media: readonly MediaInput[]): ValueOutcome => {
  const outcome = isOutcome(given) && given._tag === "value" ? given : makeValue(given, continueFlow);
  const parts = media.map((part) =>
    part.data instanceof Uint8Array ? { ...part, data: toBase64(part.data) } : { ...part },
  );
  const all = Object.freeze([...(outcome.parts ?? []), ...(parts as readonly ContentPart[])]);
  valuesOfParts.set(all, { value: outcome.value });
  return { ...outcome, parts: all };
};

export const withCopiedValue = (outcome: ValueOutcome, copy: unknown): ValueOutcome => {
  if (outcome.parts === undefined || !hasOriginalParts(outcome)) return { ...outcome, value: copy };
  const parts = Object.freeze([...outcome.parts]);
  valuesOfParts.set(parts, { value: copy });
  return { ...outcome, value: copy, parts };
};

const valuesOfParts = new WeakMap<readonly ContentPart[], { readonly value: unknown }>();

/**
 * Whether the media still belong to the value. A layer that replaced the value, for example to remove
 * secrets, has not seen the media, so they must be dropped.
 */
export const hasOriginalParts = ({ value: now, parts }: ValueOutcome): boolean => {
  const given = parts === undefined ? undefined : valuesOfParts.get(parts);
  return given === undefined || Object.is(given.value, now);
};

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

export const taintsOfOutcome = (outcome: Outcome): readonly string[] =>
  outcome._tag === "pending" ? noTaints : (outcome.taints ?? noTaints);

export const withTaints = <Any extends Outcome>(outcome: Any, more: readonly string[]): Any => {
  if (outcome._tag === "pending") return outcome;
  const taints = joinTaints(taintsOfOutcome(outcome), more);
  return taints === outcome.taints ? outcome : { ...outcome, taints };
};

export const joinTaints = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (others.length === 0) return freezeNames(some);
  if (some.length === 0) return freezeNames(others);
  return others.every((each) => some.includes(each))
    ? freezeNames(some)
    : Object.freeze([...new Set([...some, ...others])]);
};

const freezeNames = (names: readonly string[]): readonly string[] =>
  Object.isFrozen(names) ? names : Object.freeze([...names]);

export const claimsOutcome = (value: unknown): value is object =>
  typeof value === "object" && value !== null && brand in value;

/** Checks the flow or the failure code too, because outcomes can come from untyped code. */
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

/** The model's view of one call. Every call id gets exactly one reply. */
export interface Reply {
  /** The call id that the model assigned. */
  readonly id: string;
  /** The tool name as the model wrote it; the ledger has the full name. */
  readonly tool: string;
  /** False while the call is `pending`: nothing has run yet. */
  readonly ok: boolean;
  /** The result as JSON text, or the failure message; the only part meant for the model. */
  readonly text: string;
  /** How the turn continues: `final` ends the run, `handoff` passes it to another agent. */
  readonly flow: Flow;
  /** The result as the tool returned it, for the program. */
  readonly value?: unknown;
  /** Media that the tool returned with the value, and text placeholders for omitted media. */
  readonly parts?: readonly ContentPart[];
  /** Why there is no result; `docs/errors.md` lists the codes. */
  readonly failure?: Failure;
  /** Full names of the tools whose untrusted content the reply contains. */
  readonly taints?: readonly string[];
  /** Set while the call waits for approval. */
  readonly pending?: ApprovalRequest;
}
