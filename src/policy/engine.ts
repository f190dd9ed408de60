import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { RunCounters } from "../types/call.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import type { Decision } from "./decide-case.ts";
import type { DecisionFactor } from "./delegation-chain.ts";
import type { ExplainRequest, PolicyExplanation } from "./explanation.ts";
import type { PolicyOptions } from "./options.ts";

export interface PolicyRequest {
  readonly principal: Principal | undefined;
  readonly registration: Registration;
  readonly input: unknown;
  readonly validated: boolean;
  readonly repaired?: boolean | undefined;
  /** Undefined for a single call. */
  readonly tally?: RunCounters | undefined;
}

export const isTainted = ({ tally }: PolicyRequest): boolean =>
  tally !== undefined && tally.taints.length > 0;

/**
 * Decides every call, and which tools are visible. `visible` is synchronous, because it runs for every tool
 * that might be offered.
 */
export interface PolicyEngine {
  /** The best decision that any arguments could get. `deny` hides the tool from this caller. */
  readonly visible: (principal: Principal | undefined, registration: Registration) => Decision;
  /** Decides a call, synchronously or as a promise or Effect. A failure denies the call. */
  readonly decide: (request: PolicyRequest) => Decision | Promise<Decision> | Effect<Decision, unknown>;
  /**
   * The decision of every call by this caller that has no repaired arguments and no untrusted content before
   * it.
   */
  readonly settled?: (principal: Principal, registration: Registration) => Decision | undefined;
  /** Whether a rule depends on the cost of the run. Calls of unknown cost are then decided one at a time. */
  readonly countsCost?: boolean;
  /** Runs declare a plan before they read untrusted content (`injection.mode` is `plan`). */
  readonly plansRuns?: boolean;
  /** The factors that can change the decision of `visible`. Empty if it denies, undefined if unknown. */
  readonly depends?: (
    principal: Principal | undefined,
    registration: Registration,
  ) => readonly DecisionFactor[] | undefined;
  /** Explains the decision for operators. */
  readonly explain?: (request: ExplainRequest) => Promise<PolicyExplanation>;
}

export interface SyncPolicyEngine extends PolicyEngine {
  readonly decide: (request: PolicyRequest) => Decision;
}

const ownEngineOptions = new WeakMap<PolicyEngine, PolicyOptions>();

/** The decisions of a built-in engine include rights and settings. */
export const markOwnEngine = <Engine extends PolicyEngine>(
  engine: Engine,
  options: PolicyOptions,
): Engine => {
  ownEngineOptions.set(engine, options);
  return Object.freeze(engine);
};

export const isOwnEngine = (engine: PolicyEngine): boolean => ownEngineOptions.has(engine);

export const optionsOfEngine = (engine: PolicyEngine): PolicyOptions | undefined =>
  ownEngineOptions.get(engine);

/** The service that decides whether a call may be made. */
export class Policy extends Context.Service<Policy, PolicyEngine>()("haft/Policy") {}
