import type { ApprovalRequest } from "./approval.ts";
import { type Failure, isFailure } from "./failure.ts";

const brand: unique symbol = Symbol.for("haft/outcome") as never;

/** What the turn does next. `rewrite` keeps the value it replaced, for the ledger. */
export type Flow =
  | { readonly kind: "continue" }
  | { readonly kind: "rewrite"; readonly original: unknown }
  | { readonly kind: "final" }
  | { readonly kind: "handoff"; readonly agent: string };

export interface Value {
  readonly [brand]: true;
  readonly _tag: "value";
  readonly value: unknown;
  readonly flow: Flow;
  /** Tools whose untrusted words are in the value besides the tool's own. A cached value keeps them. */
  readonly taints?: readonly string[];
}

export interface Failed {
  readonly [brand]: true;
  readonly _tag: "failure";
  readonly failure: Failure;
}

export interface Pending {
  readonly [brand]: true;
  readonly _tag: "pending";
  readonly approval: ApprovalRequest;
}

/** What came of a call. A tool or a layer may return one in place of a plain value. */
export type Outcome = Value | Failed | Pending;

const goOn: Flow = Object.freeze({ kind: "continue" });
const end: Flow = Object.freeze({ kind: "final" });

export const succeeded = (value: unknown): Value => ({ [brand]: true, _tag: "value", value, flow: goOn });

export const failed = (failure: Failure): Failed => ({ [brand]: true, _tag: "failure", failure });

export const pending = (approval: ApprovalRequest): Pending => ({ [brand]: true, _tag: "pending", approval });

/** Replaces what the model is told. The ledger keeps both values. */
export const rewrite = (value: unknown, original?: unknown): Value => ({
  [brand]: true,
  _tag: "value",
  value,
  flow: { kind: "rewrite", original },
});

/** Ends the run with this value once the other calls of the turn are answered. */
export const final = (value: unknown): Value => ({ [brand]: true, _tag: "value", value, flow: end });

/** Gives the conversation to another agent. */
export const handoff = (agent: string, value: unknown = { handoff: agent }): Value => ({
  [brand]: true,
  _tag: "value",
  value,
  flow: { kind: "handoff", agent },
});

/** Says that it is an outcome, which foreign code may say of anything. */
export const claimsOutcome = (value: unknown): value is object =>
  typeof value === "object" && value !== null && brand in value;

/** An outcome that keeps to its type, whoever made it: one without a flow or with an unknown code is none. */
export const isOutcome = (value: unknown): value is Outcome => {
  if (!claimsOutcome(value)) return false;
  const { _tag, flow, failure, approval } = value as Claimed;
  if (_tag === "value") return flows.has(flow?.kind);
  if (_tag === "failure") return isFailure(failure);
  return _tag === "pending" && typeof approval === "object";
};

interface Claimed {
  readonly _tag?: unknown;
  readonly flow?: { readonly kind?: unknown };
  readonly failure?: unknown;
  readonly approval?: unknown;
}

const flows: ReadonlySet<unknown> = new Set<Flow["kind"]>(["continue", "rewrite", "final", "handoff"]);
