import { isReadOnly } from "../types/spec.ts";
import type { CompiledRule } from "./compile-rule.ts";
import {
  type Decision,
  type DecisionCase,
  decideCase,
  makeDecision,
  type RuleFilter,
} from "./decide-case.ts";
import { hasAddress } from "./has-address.ts";
import { isTainted, type PolicyRequest } from "./policy-request.ts";

/** What does not depend on the call. */
export interface AccessProfile {
  readonly visible: Decision;
  /** Undefined if a rule has a condition. */
  readonly settled: Decision | undefined;
  readonly given: DecisionCase;
}

export const toAccessProfile = (given: DecisionCase): AccessProfile => {
  const settled = given.rules.some(isConditional) ? undefined : decideCase(given, matchAlways);
  return { given, settled, visible: settled ?? bestDecision(given) };
};

export const decideAccess = ({ given, settled }: AccessProfile, request: PolicyRequest): Decision =>
  requireApprovalIfRisky(
    settled ?? (request.validated ? decideCase(given, metBy(request)) : worstDecision(given, request)),
    given,
    request,
  );

/** The best decision for any arguments in the current state of the run. */
export const decideBestAccess = ({ given, settled }: AccessProfile, request: PolicyRequest): Decision =>
  requireApprovalIfRisky(
    settled ?? bestDecision(given, hasInputCondition, metBesidesInput(request)),
    given,
    request,
  );

const matchAlways: RuleFilter = () => true;

const isConditional = (rule: CompiledRule): boolean => rule.conditions.length > 0;

const hasInputCondition = (rule: CompiledRule): boolean =>
  rule.conditions.some(({ readsInput }) => readsInput);

const metBy =
  (request: PolicyRequest): RuleFilter =>
  ({ conditions }) => {
    for (const condition of conditions) if (!condition.holds(request)) return false;
    return true;
  };

const metBesidesInput =
  (request: PolicyRequest): RuleFilter =>
  ({ conditions }) =>
    conditions.every((condition) => condition.readsInput || condition.holds(request));

/**
 * An `approve` rule restricts what another rule allows and permits what no rule allows, so unknown conditions
 * are evaluated both ways. Visibility uses the better result; arguments that were not validated get the
 * worse.
 */
const bestDecision = (
  given: DecisionCase,
  isOpen: RuleFilter = isConditional,
  known: RuleFilter = matchAlways,
): Decision => {
  const evaded = decideCase(given, (rule) => (!isOpen(rule) || rule.effect === "allow") && known(rule));
  if (evaded.effect !== "deny") return evaded;
  return decideCase(given, (rule) => (!isOpen(rule) || rule.effect !== "deny") && known(rule));
};

const worstDecision = (given: DecisionCase, request: PolicyRequest): Decision => {
  const known = metBesidesInput(request);
  const denied = decideCase(
    given,
    (rule) => known(rule) && (!hasInputCondition(rule) || rule.effect === "deny"),
  );
  if (denied.effect === "deny") return denied;
  return decideCase(given, (rule) => known(rule) && (!hasInputCondition(rule) || rule.effect !== "allow"));
};

/**
 * Repaired or tainted calls require approval unless a rule waives it. The reason tells the approver about
 * them.
 */
const requireApprovalIfRisky = (decided: Decision, given: DecisionCase, request: PolicyRequest): Decision => {
  if (decided.effect === "deny" || (request.repaired !== true && request.tally === undefined)) return decided;
  const doubts = doubtReasonsOf(given, request);
  if (doubts.length === 0) return decided;
  if (decided.effect === "approve")
    return makeDecision("approve", [decided.reason, ...doubts].join("; "), decided.ruleIds);
  const waived = given.rules.some((rule) => rule.waivesApproval && decided.ruleIds.includes(rule.id));
  return waived ? decided : makeDecision("approve", doubts.join("; "), decided.ruleIds);
};

const noReasons: readonly string[] = [];

const doubtReasonsOf = (
  { spec, guardsSink, guardsAddresses }: DecisionCase,
  request: PolicyRequest,
): readonly string[] => {
  const repaired = request.repaired === true && !isReadOnly(spec);
  const tainted = isTainted(request) && (guardsSink || (guardsAddresses && hasAddress(request.input)));
  if (!repaired && !tainted) return noReasons;
  return [
    ...(tainted ? [describeTaint(request)] : noReasons),
    ...(repaired ? ["its arguments were repaired"] : noReasons),
  ];
};

const describeTaint = ({ tally }: PolicyRequest): string => {
  const taints = tally?.taints ?? noReasons;
  const more = taints.length > 3 ? ` and ${taints.length - 3} more` : "";
  return `untrusted content of ${taints.slice(0, 3).join(", ")}${more} is in the conversation, and the call carries data out`;
};
