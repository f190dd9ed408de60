import { compilePolicy } from "../policy/compile-policy.ts";
import { type Decision, makeDecision } from "../policy/decide-case.ts";
import { delegationChainOf, strictestDecision } from "../policy/delegation-chain.ts";
import { markOwnEngine } from "../policy/engine.ts";
import { explainPolicy } from "../policy/explain.ts";
import { toExplanationText } from "../policy/explanation-text.ts";
import {
  createPolicyEngine,
  type PolicyEngine,
  type PolicyOptions,
  type SyncPolicyEngine,
} from "../policy/policy.ts";
import { watchPrincipal } from "../policy/watch-principal.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import {
  type CedarAuthorizer,
  type CedarAuthorizerOptions,
  createCedarAuthorizer,
} from "./cedar/cedar-authorizer.ts";
import { loadCedar } from "./cedar/load-cedar.ts";

export type { CedarEntity, CedarUid } from "./cedar/entities.ts";

/** Policies in Cedar's language, beside the rules, rights and toolkits of any policy. */
export interface CedarOptions extends PolicyOptions {
  /** In Cedar's language, within `cedarSchema`. A permit with `@approval("required")` alone makes a call need a person. */
  readonly policies: string;
  /**
   * What else is known of a caller: its groups, and tags of it, its user or its tenant. Asked at every call, and for
   * every tool that is listed, since what it says may change: about half a millisecond for each.
   */
  readonly entities?: CedarAuthorizerOptions["entities"];
}

/**
 * Policies in Cedar's language, over the package `@cedar-policy/cedar-wasm`. They can only narrow: the principal's own
 * right and every other setting, approval of what is risky included, hold as they do without Cedar.
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
      ...decideForChain(principal, (link) => denyOnError(() => asVisibility(listed(link, registration)))),
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

  // A policy that looks at the whole context may look at the cost too.
  const countsCost = basePolicy.countsCost === true || /\bcost\b/.test(policies);
  return markOwnEngine({ visible, decide, explain, countsCost }, settings);
};

const decideForChain = (
  principal: Principal | undefined,
  decideFor: (link: Principal) => Decision,
): readonly Decision[] => {
  const chain = principal === undefined ? "nobody is calling" : delegationChainOf(principal);
  return typeof chain === "string" ? [makeDecision("deny", chain)] : chain.map(decideFor);
};

/** What breaks on the way to Cedar is no permission. */
const denyOnError = (ask: () => Decision): Decision => {
  try {
    return ask();
  } catch (cause) {
    return makeDecision(
      "deny",
      `Cedar was not asked: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
};

/** Whether a person is needed is a matter of the call. */
const asVisibility = (decided: Decision): Decision =>
  decided.effect === "approve" ? makeDecision("allow", decided.reason, decided.ruleIds) : decided;

interface CallerDecisions {
  readonly isCurrent: () => boolean;
  readonly decisions: WeakMap<Registration, Decision>;
}

/** A thousand tools take Cedar a good part of a second, so each is asked about once for a caller who stays the same. */
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

/** Cedar sees a caller's session too, which rights do not depend on. */
const watchCallerWithSession = (principal: Principal): (() => boolean) => {
  const isSame = watchPrincipal(principal);
  const { session } = principal;
  return () => principal.session === session && isSame();
};
