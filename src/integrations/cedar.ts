import { compilePolicy } from "../policy/compile-policy.ts";
import { type Decision, makeDecision } from "../policy/decide-case.ts";
import { delegationChainOf, strictestDecision } from "../policy/delegation-chain.ts";
import { markOwnEngine, type PolicyEngine, type SyncPolicyEngine } from "../policy/engine.ts";
import { explainPolicy } from "../policy/explain.ts";
import { toExplanationText } from "../policy/explanation.ts";
import type { PolicyOptions } from "../policy/options.ts";
import { createPolicyEngine } from "../policy/policy.ts";
import { watchPrincipal } from "../policy/policy-caller.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import {
  type CedarAuthorizer,
  type CedarAuthorizerOptions,
  createCedarAuthorizer,
} from "./cedar/cedar-authorizer.ts";
import { loadCedar } from "./cedar/entities.ts";

/** Options of `cedarPolicy`. */
export interface CedarOptions extends PolicyOptions {
  /**
   * Policies in Cedar's language that fit `cedarSchema`. A call that only permits with
   * `@approval("required")` permit needs approval.
   */
  readonly policies: string;
  /**
   * Groups of a caller, and tags of it, its user or its tenant. Called for every call and every listed tool.
   */
  readonly entities?: CedarAuthorizerOptions["entities"];
}

/**
 * Creates a policy engine with Cedar policies. Cedar can only restrict: all other settings apply as without
 * it.
 */
export const cedarPolicy = async (options: CedarOptions): Promise<SyncPolicyEngine> => {
  const { policies, entities, ...settings } = options;
  const basePolicy = createPolicyEngine(settings);
  const { toolkits } = compilePolicy(settings);
  const authorizer = createCedarAuthorizer(await loadCedar(), {
    policies,
    entities: entities ?? (() => []),
    toolkits,
  });
  const listed = entities === undefined ? rememberListings(authorizer.mayList) : authorizer.mayList;

  const visible: PolicyEngine["visible"] = (principal, registration) => {
    const first = basePolicy.visible(principal, registration);
    if (first.effect === "deny") return first;
    return strictestDecision([
      first,
      ...decideForChain(principal, (link) => denyOnError(() => toVisibility(listed(link, registration)))),
    ]);
  };

  const decide: SyncPolicyEngine["decide"] = (request) => {
    const first = basePolicy.decide(request);
    if (first.effect === "deny") return first;
    const seen = visible(request.principal, request.registration);
    if (seen.effect === "deny") return seen;
    return strictestDecision([
      first,
      ...decideForChain(request.principal, (link) => denyOnError(() => authorizer.mayCall(link, request))),
    ]);
  };

  const explain: PolicyEngine["explain"] = async (request) => {
    const { principal, registration, input } = request;
    const { effect, reason, ruleIds } =
      input === undefined
        ? visible(principal, registration)
        : decide({ ...request, input, validated: request.validated !== false });
    const { text: _, ...explained } = explainPolicy(settings, request);
    const explanation = { ...explained, effect, reason, ruleIds };
    return Object.freeze({ ...explanation, text: toExplanationText(explanation, principal, registration) });
  };

  // A policy that compares the whole context names `cost` too.
  const countsCost = basePolicy.countsCost === true || /\bcost\b/.test(policies);
  return markOwnEngine({ visible, decide, explain, countsCost }, settings);
};

const decideForChain = (
  principal: Principal | undefined,
  decideFor: (link: Principal) => Decision,
): readonly Decision[] => {
  const chain = principal === undefined ? "the call has no caller" : delegationChainOf(principal);
  return typeof chain === "string" ? [makeDecision("deny", chain)] : chain.map(decideFor);
};

const denyOnError = (ask: () => Decision): Decision => {
  try {
    return ask();
  } catch (cause) {
    return makeDecision(
      "deny",
      `Cedar was not evaluated: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
};

const toVisibility = (decided: Decision): Decision =>
  decided.effect === "approve" ? makeDecision("allow", decided.reason, decided.ruleIds) : decided;

interface CallerDecisions {
  readonly isCurrent: () => boolean;
  readonly decisions: WeakMap<Registration, Decision>;
}

/** Cedar takes a good part of a second for a thousand tools. */
const rememberListings = (mayList: CedarAuthorizer["mayList"]): CedarAuthorizer["mayList"] => {
  const known = new WeakMap<Principal, CallerDecisions>();
  return (principal, registration) => {
    let listed = known.get(principal);
    if (listed === undefined || !listed.isCurrent()) {
      listed = { isCurrent: watchCallerWithSession(principal), decisions: new WeakMap() };
      known.set(principal, listed);
    }
    const before = listed.decisions.get(registration);
    if (before !== undefined) return before;
    const said = mayList(principal, registration);
    listed.decisions.set(registration, said);
    return said;
  };
};

/** Cedar also reads the session, on which rights do not depend. */
const watchCallerWithSession = (principal: Principal): (() => boolean) => {
  const isSame = watchPrincipal(principal);
  const { session } = principal;
  return () => principal.session === session && isSame();
};
