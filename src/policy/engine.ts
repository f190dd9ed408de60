import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import type { Circumstance } from "./depends.ts";
import type { ExplainRequest, PolicyExplanation } from "./explanation.ts";
import type { Decision } from "./judge.ts";
import type { PolicyRequest } from "./request.ts";

/** Asked on every call. What is visible is asked for every tool that might be offered, so it is answered at once. */
export interface PolicyEngine {
  /** The best that any arguments could get: `deny` means the tool is not there for this caller. */
  readonly visible: (principal: Principal | undefined, registration: Registration) => Decision;
  /** A decision, or an Effect of one where somebody else is asked. One that fails denies. */
  readonly decide: (request: PolicyRequest) => Decision | Effect<Decision, unknown>;
  /** The decision that every call of this caller gets that was neither repaired nor made after words from outside. */
  readonly settled?: (principal: Principal, registration: Registration) => Decision | undefined;
  /** Whether a rule counts what a run has spent: then calls that do not say what they cost are decided one by one. */
  readonly countsCost?: boolean;
  /**
   * What of a call can turn what `visible` says; nothing where it denies. Asked for many tools at once. Unless there is
   * one, nobody can tell.
   */
  readonly depends?: (
    principal: Principal | undefined,
    registration: Registration,
  ) => readonly Circumstance[] | undefined;
  /** Who was asked and what each said, for operators. */
  readonly explain?: (request: ExplainRequest) => Promise<PolicyExplanation>;
}

/** An engine that asks nobody. */
export interface SyncPolicyEngine extends PolicyEngine {
  readonly decide: (request: PolicyRequest) => Decision;
}

const own = new WeakSet<PolicyEngine>();

/** An engine of ours: whatever else it asks, the caller's own rights and the settings are in its answer. */
export const ownEngine = <Engine extends PolicyEngine>(engine: Engine): Engine => {
  own.add(engine);
  return Object.freeze(engine);
};

export const isOwnEngine = (engine: PolicyEngine): boolean => own.has(engine);

/** The service that decides whether a call may be made. */
export class Policy extends Context.Service<Policy, PolicyEngine>()("haft/Policy") {}
