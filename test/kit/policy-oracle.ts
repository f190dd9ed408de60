import type { PolicyRequest } from "../../src/policy/engine.ts";
import type { PolicyOptions } from "../../src/policy/options.ts";
import type { Right } from "../../src/policy/right.ts";
import type { Rule } from "../../src/policy/rule.ts";
import type { Principal } from "../../src/types/principal.ts";
import type { Registration, ToolSpec } from "../../src/types/tool.ts";

export type Effect = "allow" | "deny" | "approve";

/** Effects, the most restrictive first. */
export const effectRank: Readonly<Record<Effect, number>> = { deny: 0, approve: 1, allow: 2 };

/** Evaluates the policy literally and without caching for every request. */
export const oracleDecide = (options: PolicyOptions, request: PolicyRequest): Effect => {
  const { validated, repaired = false, tally } = request;
  const tainted = (tally?.taints.length ?? 0) > 0;
  const knows = (rule: Rule): boolean =>
    (rule.tainted === undefined || rule.tainted === tainted) &&
    (rule.repaired === undefined || rule.repaired === repaired) &&
    (tally?.calls ?? 0) >= (rule.spent?.calls ?? 0) &&
    (tally?.cost ?? 0) >= (rule.spent?.cost ?? 0);
  const { n } = request.input as { readonly n: number };
  const now = { tainted, repaired };
  return decideChain(request.principal, (who) => {
    const given = { options, who, registration: request.registration, now };
    if (validated) return oracleJudge(given, (rule) => knows(rule) && fits(rule, n));
    // It is unknown whether unvalidated arguments match a condition, so both cases are tried for each effect
    // and the most restrictive result counts.
    const all = guesses.map((guess) =>
      oracleJudge(given, (rule) => knows(rule) && (guess[rule.effect] || !rule.when)),
    );
    return strictestOf(all);
  });
};

/** A tool is visible if the best possible decision allows it, because nothing of the call is known. */
export const oracleVisible = (
  options: PolicyOptions,
  principal: Principal | undefined,
  registration: Registration,
): Effect =>
  decideChain(principal, (who) => {
    const given = { options, who, registration, now: { tainted: false, repaired: false } };
    const all = guesses.map((guess) =>
      oracleJudge(given, (rule) => guess[rule.effect] || !isConditional(rule)),
    );
    return all.reduce((best, each) => (effectRank[each] > effectRank[best] ? each : best));
  });

const guesses = [true, false].flatMap((allow) =>
  [true, false].flatMap((deny) => [true, false].map((approve) => ({ allow, deny, approve }))),
);

const strictestOf = (effects: readonly Effect[]): Effect =>
  effects.reduce((worst, each) => (effectRank[each] < effectRank[worst] ? each : worst));

const isConditional = ({ when, tainted, repaired, spent }: Rule): boolean =>
  [when, tainted, repaired, spent].some((condition) => condition !== undefined);

/** Random policies have one kind of condition on arguments: a limit on `n`. */
const fits = ({ when }: Rule, n: number): boolean =>
  when === undefined ||
  n <= (when as { readonly properties: { readonly n: { readonly maximum: number } } }).properties.n.maximum;

const decideChain = (principal: Principal | undefined, judgeLink: (who: Principal) => Effect): Effect => {
  const effects: Effect[] = [];
  for (let link = principal; link !== undefined; link = link.within) {
    if (effects.length === 16) return "deny";
    effects.push(judgeLink(link));
  }
  return effects.length === 0 ? "deny" : strictestOf(effects);
};

interface Given {
  readonly options: PolicyOptions;
  readonly who: Principal;
  readonly registration: Registration;
  readonly now: { readonly tainted: boolean; readonly repaired: boolean };
}

const oracleJudge = ({ options, who, registration, now }: Given, meets: (rule: Rule) => boolean): Effect => {
  const { spec } = registration.tool;
  const isRead = spec.annotations.readOnly === true;
  const isFree = options.requireAuthorizationForAll === false && spec.risk === "low" && isRead;
  if (!isAllowedBy(options, who, registration.key, isFree)) return "deny";
  const rules = options.rules ?? [];
  const held = rules.filter((rule) => isAbout(options, rule, who, registration) && meets(rule));
  if (held.some(({ effect }) => effect === "deny")) return "deny";
  if (held.some(({ effect }) => effect === "approve")) return "approve";
  if (rules.length > 0 && !isFree && held.length === 0) return "deny";
  const isWaived = held.some((rule) => rule.waivesApproval === true);
  if (spec.noSchemaMode === "human-approval") return "approve";
  if (spec.noSchemaMode === "full" && !isWaived) return "approve";
  if (spec.noSchemaMode === "read-only" && !isRead) return "approve";
  if (isWaived) return "allow";
  if (spec.requiresApproval) return "approve";
  const isRisky = spec.risk === "high" || spec.risk === "critical";
  if (isRisky && options.blockHighRiskWithoutApproval !== false) return "approve";
  if (now.repaired && !isRead) return "approve";
  return now.tainted && isSink(spec) && options.approveTaintedSinks !== false ? "approve" : "allow";
};

const isSink = ({ tags, source, annotations }: ToolSpec): boolean => {
  if (tags.includes("sink")) return true;
  if (annotations.readOnly === true) return false;
  return [
    annotations.openWorld === true,
    annotations.destructive === true,
    source === "http",
    source === "mcp",
  ].some(Boolean);
};

/** Whether the caller's own right and, if there are tables, the rights in them allow the tool. */
const isAllowedBy = (options: PolicyOptions, who: Principal, key: string, isFree: boolean): boolean => {
  const denies = ({ deny }: Right) => inPatterns(deny, key);
  const allows = (right: Right) =>
    isFree || inPatterns(right.allow, key) || inKits(options, right.toolkits, key);
  const { agents, users, tenants, roles } = options.rights ?? {};
  const isIn = (
    table: Readonly<Record<string, Right>> | undefined,
    names: readonly (string | undefined)[],
  ) => {
    if (table === undefined) return true;
    const known = Object.entries(table).flatMap(([name, right]) => (names.includes(name) ? [right] : []));
    return known.some(allows) && !known.some(denies);
  };
  return (
    allows(who) &&
    !denies(who) &&
    isIn(agents, [who.agent]) &&
    isIn(users, [who.user]) &&
    isIn(tenants, [who.tenant]) &&
    isIn(roles, who.roles ?? [])
  );
};

const isAbout = (
  options: PolicyOptions,
  rule: Rule,
  who: Principal,
  { key, tool }: Registration,
): boolean => {
  const { spec } = tool;
  const isOneOf = (
    list: readonly string[] | undefined,
    ...values: readonly (string | undefined)[]
  ): boolean => list === undefined || list.some((entry) => values.includes(entry));
  const annotations = Object.entries(rule.annotations ?? {}) as [keyof typeof spec.annotations, boolean][];
  return (
    (rule.agents === undefined || inPatterns(rule.agents, who.agent)) &&
    isOneOf(rule.roles, ...(who.roles ?? [])) &&
    isOneOf(rule.users, who.user) &&
    isOneOf(rule.tenants, who.tenant) &&
    (rule.tools === undefined || inPatterns(rule.tools, key)) &&
    (rule.toolkits === undefined || inKits(options, rule.toolkits, key)) &&
    isOneOf(rule.risk, spec.risk) &&
    isOneOf(rule.source, spec.source) &&
    isOneOf(rule.tags, ...spec.tags) &&
    annotations.every(([name, value]) => (spec.annotations[name] ?? false) === value)
  );
};

const inKits = ({ toolkits }: PolicyOptions, names: readonly string[] | undefined, key: string): boolean =>
  (names ?? []).some((name) => inPatterns(toolkits?.[name], key));

const inPatterns = (patterns: readonly string[] | undefined, name: string): boolean =>
  (patterns ?? []).some((pattern) => {
    if (pattern === "*" || pattern === "**") return true;
    const wanted = pattern.split("/");
    return trySegments(
      wanted.at(-1) === "**" ? [...wanted.slice(0, -1), "*", "**"] : wanted,
      name.split("/"),
    );
  });

const trySegments = (wanted: readonly string[], given: readonly string[]): boolean => {
  const [first, ...rest] = wanted;
  if (first === undefined) return given.length === 0;
  if (first === "**") return [...given.keys(), given.length].some((at) => trySegments(rest, given.slice(at)));
  return given.length > 0 && tryText(first, given[0]!) && trySegments(rest, given.slice(1));
};

const tryText = (wanted: string, given: string): boolean => {
  if (wanted === "") return given === "";
  if (wanted[0] === "*") return [...given, ""].some((_, at) => tryText(wanted.slice(1), given.slice(at)));
  return wanted[0] === given[0] && tryText(wanted.slice(1), given.slice(1));
};
