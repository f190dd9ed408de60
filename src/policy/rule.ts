import { type Condition, compileCondition } from "../define/schema/compile-condition.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { JsonSchema } from "../words/json.ts";
import type { Principal } from "../words/principal.ts";
import { type Risk, risks, type ToolSource } from "../words/spec.ts";
import type { Registration } from "../words/tool.ts";
import { compilePatterns, type Matcher } from "./pattern.ts";

/** A statement about calls. Every field it has must fit; within one field, one of the list is enough. */
export interface Rule {
  /** Names the rule in the ledger. Without one it is called by its place: `rules[0]`. */
  readonly id?: string;
  readonly effect: "allow" | "deny" | "approve";
  readonly agents?: readonly string[];
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
  readonly tenants?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolkits?: readonly string[];
  readonly risk?: readonly Risk[];
  readonly source?: readonly ToolSource[];
  readonly tags?: readonly string[];
  /** Holds only for arguments that fit. Arguments that were never validated meet restrictions and no permissions. */
  readonly when?: JsonSchema;
  /** On an `allow`: calls it covers need no person, although the tool is risky or asks for one. */
  readonly waivesApproval?: boolean;
  /** For operators. */
  readonly reason?: string;
}

export interface CompiledRule {
  readonly id: string;
  readonly effect: Rule["effect"];
  readonly waivesApproval: boolean;
  readonly reason: string | undefined;
  readonly concerns: (principal: Principal) => boolean;
  readonly covers: (registration: Registration) => boolean;
  readonly condition: Condition | undefined;
}

const fields = {
  id: "text",
  effect: "text",
  agents: "list",
  roles: "list",
  users: "list",
  tenants: "list",
  tools: "list",
  toolkits: "list",
  risk: "list",
  source: "list",
  tags: "list",
  when: "schema",
  waivesApproval: "flag",
  reason: "text",
} as const satisfies Record<keyof Rule, string>;

/** Refuses what could not mean anything: a misspelled field would widen its rule without a word. */
export const compileRule = (
  rule: Rule,
  place: string,
  toolkits: ReadonlyMap<string, Matcher>,
): CompiledRule => {
  checkFields(rule, place);
  checkMeaning(rule, place, toolkits);
  return Object.freeze({
    id: rule.id ?? place,
    effect: rule.effect,
    waivesApproval: rule.waivesApproval === true,
    reason: rule.reason,
    concerns: compileConcerns(rule),
    covers: compileCovers(rule, toolkits),
    condition: rule.when === undefined ? undefined : readCondition(rule.when, place),
  });
};

const compileConcerns = (rule: Rule): CompiledRule["concerns"] => {
  const agents = rule.agents && compilePatterns(rule.agents, "agent");
  const roles = rule.roles && new Set(rule.roles);
  const users = rule.users && new Set<string | undefined>(rule.users);
  const tenants = rule.tenants && new Set<string | undefined>(rule.tenants);
  return (principal) =>
    (agents === undefined || agents(principal.agent)) &&
    (roles === undefined || (principal.roles ?? []).some((role) => roles.has(role))) &&
    (users === undefined || users.has(principal.user)) &&
    (tenants === undefined || tenants.has(principal.tenant));
};

const compileCovers = (rule: Rule, toolkits: ReadonlyMap<string, Matcher>): CompiledRule["covers"] => {
  const tools = rule.tools && compilePatterns(rule.tools);
  const kits = rule.toolkits?.map((name) => toolkits.get(name) as Matcher);
  const allowedRisks = rule.risk && new Set(rule.risk);
  const sources = rule.source && new Set(rule.source);
  const tags = rule.tags && new Set(rule.tags);
  return ({ key, tool: { spec } }) =>
    (tools === undefined || tools(key)) &&
    (kits === undefined || kits.some((kit) => kit(key))) &&
    (allowedRisks === undefined || allowedRisks.has(spec.risk)) &&
    (sources === undefined || sources.has(spec.source)) &&
    (tags === undefined || spec.tags.some((tag) => tags.has(tag)));
};

const readCondition = (when: JsonSchema, place: string): Condition => {
  try {
    return compileCondition(when);
  } catch (cause) {
    throw refuse(
      `${place}.when`,
      `is no usable JSON Schema (${cause instanceof Error ? cause.message : cause})`,
    );
  }
};

const checkFields = (rule: Rule, place: string): void => {
  if (!isRecord(rule)) throw refuse(place, 'is no rule; write `{ effect: "allow", tools: ["ns/*"] }`');
  for (const [field, value] of Object.entries(rule)) {
    const kind = Object.hasOwn(fields, field) ? fields[field as keyof Rule] : undefined;
    if (kind === undefined) {
      throw refuse(`${place}.${field}`, `is no field of a rule; there are ${Object.keys(fields).join(", ")}`);
    }
    if (value === undefined) continue;
    if (kind === "list") checkList(value, `${place}.${field}`);
    if (kind === "text" && (typeof value !== "string" || value === "")) {
      throw refuse(`${place}.${field}`, "must be a non-empty text");
    }
    if (kind === "flag" && typeof value !== "boolean")
      throw refuse(`${place}.${field}`, "must be true or false");
    if (kind === "schema" && !isRecord(value))
      throw refuse(`${place}.${field}`, "must be a JSON Schema object");
  }
};

const checkList = (value: unknown, where: string): void => {
  if (!Array.isArray(value) || value.length === 0) {
    throw refuse(where, "must be a list with at least one entry; leave the field out to mean every one");
  }
  for (const [index, entry] of value.entries()) {
    if (typeof entry !== "string" || entry === "")
      throw refuse(`${where}[${index}]`, "must be a non-empty text");
  }
};

const checkMeaning = (rule: Rule, place: string, toolkits: ReadonlyMap<string, Matcher>): void => {
  if (!["allow", "deny", "approve"].includes(rule.effect)) {
    throw refuse(
      `${place}.effect`,
      `is ${JSON.stringify(rule.effect)}; it must be "allow", "deny" or "approve"`,
    );
  }
  if (rule.waivesApproval === true && rule.effect !== "allow") {
    throw refuse(`${place}.waivesApproval`, 'fits only a rule whose effect is "allow"');
  }
  for (const risk of rule.risk ?? []) {
    if (!risks.includes(risk))
      throw refuse(`${place}.risk`, `knows no "${risk}"; there are ${risks.join(", ")}`);
  }
  for (const name of rule.toolkits ?? []) {
    if (!toolkits.has(name))
      throw refuse(`${place}.toolkits`, `names "${name}", which the policy does not have`);
  }
  for (const field of ["roles", "users", "tenants", "source", "tags"] as const) {
    if (rule[field]?.some((entry) => entry.includes("*"))) {
      throw refuse(`${place}.${field}`, "holds plain names; patterns with `*` are for agents and tools");
    }
  }
};

const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const refuse = (where: string, why: string) => new ConfigurationError("invalid_config", `${where} ${why}.`);
