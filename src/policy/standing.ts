import { isReadOnly } from "../words/spec.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { type Case, type Decision, decision, judge, type Meets } from "./judge.ts";
import { isTainted, type PolicyRequest } from "./request.ts";

/** Everything about one caller and one tool that does not hang on the call. */
export interface CallerStanding {
  readonly visible: Decision;
  /** Missing where a condition has to see the call first. */
  readonly settled: Decision | undefined;
  readonly given: Case;
}

export const toStanding = (given: Case): CallerStanding => {
  const settled = given.rules.some(isConditional) ? undefined : judge(given, always);
  return { given, settled, visible: settled ?? best(given) };
};

export const decideStanding = ({ given, settled }: CallerStanding, request: PolicyRequest): Decision =>
  doubt(
    settled ?? (request.validated ? judge(given, exactly(request)) : worst(given, request)),
    given,
    request,
  );

/** The best that any arguments could get at this moment. */
export const hopeStanding = ({ given, settled }: CallerStanding, request: PolicyRequest): Decision =>
  doubt(settled ?? best(given, looksAtInput, besideInput(request)), given, request);

const always: Meets = () => true;

const isConditional = (rule: CompiledRule): boolean => rule.conditions.length > 0;

const looksAtInput = (rule: CompiledRule): boolean => rule.conditions.some(({ field }) => field === "when");

const exactly =
  (request: PolicyRequest): Meets =>
  ({ conditions }) => {
    for (const condition of conditions) if (!condition.holds(request)) return false;
    return true;
  };

const besideInput =
  (request: PolicyRequest): Meets =>
  ({ conditions }) =>
    conditions.every((condition) => condition.field === "when" || condition.holds(request));

/**
 * What cannot be known of a condition is answered both ways, because an `approve` restricts where
 * something else allows and permits where nothing does. A tool is shown for the better answer;
 * arguments that were never validated get the worse, as conditions rely on the types of the schema.
 */
const best = (given: Case, isOpen: Meets = isConditional, known: Meets = always): Decision => {
  const evaded = judge(given, (rule) => (!isOpen(rule) || rule.effect === "allow") && known(rule));
  if (evaded.effect !== "deny") return evaded;
  return judge(given, (rule) => (!isOpen(rule) || rule.effect !== "deny") && known(rule));
};

const worst = (given: Case, request: PolicyRequest): Decision => {
  const known = besideInput(request);
  const denied = judge(given, (rule) => known(rule) && (!looksAtInput(rule) || rule.effect === "deny"));
  if (denied.effect === "deny") return denied;
  return judge(given, (rule) => known(rule) && (!looksAtInput(rule) || rule.effect !== "allow"));
};

/** Unless a rule that waives approval let it through, what may not have been meant needs a person. */
const doubt = (decided: Decision, given: Case, request: PolicyRequest): Decision => {
  if (decided.effect !== "allow" || (request.repaired !== true && request.tally === undefined))
    return decided;
  const doubts = doubtsOf(given, request);
  if (doubts.length === 0) return decided;
  const waived = given.rules.some((rule) => rule.waivesApproval && decided.ruleIds.includes(rule.id));
  return waived ? decided : decision("approve", doubts.join("; "), decided.ruleIds);
};

const none: readonly string[] = [];

const doubtsOf = ({ spec, guardsSink }: Case, request: PolicyRequest): readonly string[] => {
  const repaired = request.repaired === true && !isReadOnly(spec);
  const tainted = guardsSink && isTainted(request);
  if (!repaired && !tainted) return none;
  return [...(tainted ? [tellTaint(request)] : none), ...(repaired ? ["its arguments were repaired"] : none)];
};

const tellTaint = ({ tally }: PolicyRequest): string => {
  const taints = tally?.taints ?? none;
  const more = taints.length > 3 ? ` and ${taints.length - 3} more` : "";
  return `untrusted words of ${taints.slice(0, 3).join(", ")}${more} are in the conversation, and the tool carries data out`;
};
