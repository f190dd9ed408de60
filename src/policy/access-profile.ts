import { isReadOnly } from "../types/tool.ts";
import { hasAddress } from "./addresses.ts";
import {
  type Decision,
  type DecisionCase,
  decideCase,
  makeDecision,
  type RuleFilter,
} from "./decide-case.ts";
import { isTainted, type PolicyRequest } from "./engine.ts";
import { doubtPrivateRead, doubtSink, type InjectionDoubt } from "./lineage/injection-guard.ts";
import type { CompiledRule } from "./rule.ts";

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
 * Repaired or tainted calls require approval unless a rule waives it. The reason informs the approver about
 * them.
 */
const requireApprovalIfRisky = (decided: Decision, given: DecisionCase, request: PolicyRequest): Decision => {
  if (decided.effect === "deny" || (request.repaired !== true && request.tally === undefined)) return decided;
  const isWaived = given.rules.some((rule) => rule.waivesApproval && decided.ruleIds.includes(rule.id));
  if (isWaived && decided.effect !== "approve") return decided;
  const injection = doubtInjection(given, request);
  const doubts = [
    ...(injection === undefined ? noReasons : [injection.reason]),
    ...(request.repaired === true && !isReadOnly(given.spec) ? ["its arguments were repaired"] : noReasons),
  ];
  if (doubts.length === 0) return decided;
  const reasons = decided.effect === "approve" ? [decided.reason, ...doubts] : doubts;
  const decision = makeDecision("approve", reasons.join("; "), decided.ruleIds);
  return injection?.leavesPlan === true ? Object.freeze({ ...decision, leavesPlan: true }) : decision;
};

const noReasons: readonly string[] = [];

const doubtInjection = (
  { guardsSink, guardsAddresses, guardsPrivateRead, injectionGuard }: DecisionCase,
  request: PolicyRequest,
): InjectionDoubt | undefined => {
  if (!isTainted(request)) return undefined;
  const { registration, input, tally } = request;
  const call = { registration, input, lineage: tally?.lineage, taints: tally?.taints ?? noReasons };
  if (guardsSink || (guardsAddresses && hasAddress(input))) return doubtSink(injectionGuard, call);
  return guardsPrivateRead ? doubtPrivateRead(injectionGuard, call) : undefined;
};
