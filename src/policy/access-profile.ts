import { isReadOnly } from "../types/tool.ts";
import {
  type Decision,
  type DecisionCase,
  decideCase,
  makeDecision,
  type RuleFilter,
} from "./decide-case.ts";
import { isTainted, type PolicyRequest } from "./engine.ts";
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

/** Arguments with these names are addresses, with or without a scheme. */
const addressNamePattern =
  /^(.*[^a-z])?(urls?|hrefs?|links?|web_?pages?|web_?sites?|sites?|domains?|host_?names?|hosts?|endpoints?|webhooks?|callbacks?)([^a-z].*)?$/;

/** Arguments with these names are addresses if their value is a host name. */
const hostNamePattern =
  /^(.*[^a-z])?(uris?|address(?:es)?|servers?|origins?|proxy|proxies|targets?)([^a-z].*)?$/;

const domainPattern = String.raw`[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)*\.(?:\p{L}{2,}|xn--[\w-]+)\.?`;

const bareHostPattern = new RegExp(`^\\s*${domainPattern}(?::\\d+)?(?:[/?#].*)?\\s*$`, "iu");

/** What URL parsers and name resolvers accept, which is more than what looks like a URL. */
const addressForms: readonly RegExp[] = [
  /(?<![a-z])(?:https?|wss?|ftps?|sftp|mailto):\S/i,
  /(?<![a-z])(?:git|ssh|svn|s3|gs|gopher|ldaps?|smb|nfs|telnet|rediss?|amqps?|mongodb|mysql|postgres(?:ql)?)(?:\+\w+)?:\/\/\S/i,
  // Any other scheme with a domain or IP address. MCP resources such as demo://notes/1 are not addresses.
  new RegExp(
    String.raw`[a-z][a-z\d+.-]*:(?:\/\/)?(?:[^\s/@]*@)?(?:${domainPattern}|\d[\d.]*(?![\d.]))(?:[/?#:]|$)`,
    "iu",
  ),
  new RegExp(String.raw`[a-z][a-z\d+.-]*:(?:\/\/)?[^\s/@:]+@${domainPattern}`, "iu"),
  /^\s*\/\/[^\s/]|\bwww\.|\blocalhost[:/]/i,
  new RegExp(String.raw`(?<![\p{L}\p{N}_./-])${domainPattern}(?:[/?#]|:\d)`, "iu"),
  new RegExp(`@${domainPattern}:`, "iu"),
  // IPv4 addresses also as one number, in hexadecimal and octal; IPv6 addresses in brackets.
  /(?<![\w.])(?:(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){3}|0x[\da-f]{6,}|\d{8,10})(?:[/?#]|:\d)/i,
  /\[[\da-f:.]*:[\da-f:.]*\]/i,
];

const isAddress = (text: string): boolean => {
  const read = text
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(/\\/g, "/")
    .replace(/\u3002|%2e/gi, ".");
  return addressForms.some((form) => form.test(read));
};

/** Larger arguments count as an address. */
const maxValues = 10_000;

/** An address-like name also applies to the members of its object. */
export const hasAddress = (input: unknown): boolean => {
  const rest: (readonly [name: string, value: unknown])[] = [["", input]];
  for (let seen = 0; rest.length > 0; seen += 1) {
    if (seen > maxValues) return true;
    const [name, value] = rest.pop()!;
    if (typeof value === "string") {
      if (value !== "" && (isAddress(value) || isNamedAddress(toSnakeCase(name), value))) return true;
    } else if (Array.isArray(value)) {
      for (const item of value) rest.push([name, item]);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (isAddress(key)) return true;
        rest.push([`${name}_${key}`, member]);
      }
    }
  }
  return false;
};

const isNamedAddress = (name: string, value: string): boolean =>
  addressNamePattern.test(name) ||
  (hostNamePattern.test(name) && bareHostPattern.test(value.normalize("NFKC")));

const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
