import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import { type AskerOptions, type CedarAsker, cedarAsker } from "./cedar/asker.ts";
import { loadCedar } from "./cedar/load-cedar.ts";
import { chainOf, strictest } from "./chain.ts";
import { compilePolicy } from "./compile-policy.ts";
import { ownEngine } from "./engine.ts";
import { explainPolicy } from "./explain.ts";
import { explanationText } from "./explanation-text.ts";
import { type Decision, decision } from "./judge.ts";
import { type PolicyEngine, type PolicyOptions, policy, type SyncPolicyEngine } from "./policy.ts";
import { watch } from "./watch.ts";

export type { CedarEntity, CedarUid } from "./cedar/entities.ts";

/** Policies in Cedar's language, beside the rules, rights and toolkits of any policy. */
export interface CedarOptions extends PolicyOptions {
  /** In Cedar's language, within `cedarSchema`. A permit with `@approval("required")` alone makes a call need a person. */
  readonly policies: string;
  /**
   * What else is known of a caller: its groups, and tags of it, its user or its tenant. Asked at every call, and for
   * every tool that is listed, since what it says may change: about half a millisecond for each.
   */
  readonly entities?: AskerOptions["entities"];
}

/**
 * Policies in Cedar's language, over the package `@cedar-policy/cedar-wasm`. They can only narrow: the principal's own
 * right and every other setting, approval of what is risky included, hold as they do without Cedar.
 */
export const cedarPolicy = async (options: CedarOptions): Promise<SyncPolicyEngine> => {
  const { policies, entities, ...settings } = options;
  const own = policy(settings);
  const { toolkits } = compilePolicy(settings);
  const asker = cedarAsker(await loadCedar(), { policies, entities: entities ?? (() => []), toolkits });
  const listed = entities === undefined ? remember(asker.mayList) : asker.mayList;

  const visible: PolicyEngine["visible"] = (principal, registration) => {
    const first = own.visible(principal, registration);
    if (first.effect === "deny") return first;
    return strictest([
      first,
      ...eachLink(principal, (link) => answer(() => shown(listed(link, registration)))),
    ]);
  };

  const decide: SyncPolicyEngine["decide"] = (request) => {
    const first = own.decide(request);
    if (first.effect === "deny") return first;
    const seen = visible(request.principal, request.registration);
    if (seen.effect === "deny") return seen;
    return strictest([
      first,
      ...eachLink(request.principal, (link) => answer(() => asker.mayCall(link, request))),
    ]);
  };

  const explain: PolicyEngine["explain"] = async (request) => {
    const { principal, registration, input } = request;
    const { effect, reason, ruleIds } =
      input === undefined
        ? visible(principal, registration)
        : decide({ ...request, input, validated: request.validated !== false });
    const { text: _, ...told } = explainPolicy(settings, request);
    const explanation = { ...told, effect, reason, ruleIds };
    return Object.freeze({ ...explanation, text: explanationText(explanation, principal, registration) });
  };

  // A policy that looks at the whole context may look at the cost too.
  const countsCost = own.countsCost === true || /\bcost\b/.test(policies);
  return ownEngine({ visible, decide, explain, countsCost });
};

const eachLink = (
  principal: Principal | undefined,
  ask: (link: Principal) => Decision,
): readonly Decision[] => {
  const chain = principal === undefined ? "nobody is calling" : chainOf(principal);
  return typeof chain === "string" ? [decision("deny", chain)] : chain.map(ask);
};

/** What breaks on the way to Cedar is no permission. */
const answer = (ask: () => Decision): Decision => {
  try {
    return ask();
  } catch (cause) {
    return decision("deny", `Cedar was not asked: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

/** Whether a person is needed is a matter of the call. */
const shown = (said: Decision): Decision =>
  said.effect === "approve" ? decision("allow", said.reason, said.ruleIds) : said;

interface CallerDecisions {
  readonly isCurrent: () => boolean;
  readonly decisions: WeakMap<Registration, Decision>;
}

/** A thousand tools take Cedar a good part of a second, so each is asked about once for a caller who stays the same. */
const remember = (mayList: CedarAsker["mayList"]): CedarAsker["mayList"] => {
  const known = new WeakMap<Principal, CallerDecisions>();
  return (principal, registration) => {
    let listed = known.get(principal);
    if (listed === undefined || !listed.isCurrent()) {
      listed = { isCurrent: watchCaller(principal), decisions: new WeakMap() };
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
const watchCaller = (principal: Principal): (() => boolean) => {
  const isSame = watch(principal);
  const { session } = principal;
  return () => principal.session === session && isSame();
};
