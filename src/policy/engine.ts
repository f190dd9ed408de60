import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import type { Decision } from "./decide-case.ts";
import type { DecisionFactor } from "./decision-factors.ts";
import type { ExplainRequest, PolicyExplanation } from "./explanation.ts";
import type { PolicyOptions } from "./options.ts";
import type { PolicyRequest } from "./policy-request.ts";

/** Asked on every call. What is visible is asked for every tool that might be offered, so it is answered at once. */
export interface PolicyEngine {
  /** The best that any arguments could get: `deny` means the tool is not there for this caller. */
  readonly visible: (principal: Principal | undefined, registration: Registration) => Decision;
  /** A decision, or a promise or an Effect of one where another service decides. One that fails denies. */
  readonly decide: (request: PolicyRequest) => Decision | Promise<Decision> | Effect<Decision, unknown>;
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
  ) => readonly DecisionFactor[] | undefined;
  /** Who was asked and what each said, for operators. */
  readonly explain?: (request: ExplainRequest) => Promise<PolicyExplanation>;
}

/** An engine that asks nobody. */
export interface SyncPolicyEngine extends PolicyEngine {
  readonly decide: (request: PolicyRequest) => Decision;
}

const ownEngineOptions = new WeakMap<PolicyEngine, PolicyOptions>();

/** Marks an engine of ours: whatever else it asks, the caller's rights and the settings are in its answer. */
export const markOwnEngine = <Engine extends PolicyEngine>(
  engine: Engine,
  options: PolicyOptions,
): Engine => {
  ownEngineOptions.set(engine, options);
  return Object.freeze(engine);
};

export const isOwnEngine = (engine: PolicyEngine): boolean => ownEngineOptions.has(engine);

/** The options that an engine of ours was made from. */
export const optionsOfEngine = (engine: PolicyEngine): PolicyOptions | undefined =>
  ownEngineOptions.get(engine);

/** The service that decides whether a call may be made. */
export class Policy extends Context.Service<Policy, PolicyEngine>()("haft/Policy") {}
