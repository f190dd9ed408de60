import { isObject } from "../json/is-object.ts";
import { ConfigurationError } from "../words/errors.ts";
import { risks } from "../words/spec.ts";
import type { Toolkits } from "./right.ts";
import type { Rule } from "./rule.ts";

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
  annotations: { readOnly: "flag", idempotent: "flag", destructive: "flag", openWorld: "flag" },
  when: "schema",
  tainted: "flag",
  repaired: "flag",
  spent: { calls: "amount", cost: "amount" },
  waivesApproval: "flag",
  reason: "text",
} as const satisfies Record<keyof Rule, FieldKind>;

type FieldKind = "text" | "list" | "flag" | "schema" | "amount" | { readonly [field: string]: FieldKind };

/** Refuses what could not mean anything: a misspelled field would widen its rule without a word. */
export const checkRule = (rule: Rule, place: string, toolkits: Toolkits): void => {
  if (!isObject(rule)) throw refuse(place, 'is no rule; write `{ effect: "allow", tools: ["ns/*"] }`');
  checkRecord(rule, fields, place, "a rule");
  checkMeaning(rule, place, toolkits);
};

const checkRecord = (
  given: object,
  known: Readonly<Record<string, FieldKind>>,
  place: string,
  what: string,
): void => {
  for (const [field, value] of Object.entries(given)) {
    const where = `${place}.${field}`;
    if (!Object.hasOwn(known, field)) {
      throw refuse(where, `is no field of ${what}; there are ${Object.keys(known).join(", ")}`);
    }
    const kind = known[field]!;
    if (value === undefined) continue;
    if (typeof kind === "string") checkValue(value, kind, where);
    else {
      const names = Object.keys(kind);
      if (!isObject(value) || Object.values(value).every((each) => each === undefined)) {
        throw refuse(where, `must be an object with at least one of ${names.join(", ")}`);
      }
      checkRecord(value as object, kind, where, `\`${field}\``);
    }
  }
};

const checkValue = (value: unknown, kind: string, where: string): void => {
  if (kind === "list") checkList(value, where);
  if (kind === "text" && (typeof value !== "string" || value === "")) {
    throw refuse(where, "must be a non-empty text");
  }
  if (kind === "flag" && typeof value !== "boolean") throw refuse(where, "must be true or false");
  if (kind === "amount" && !(Number.isFinite(value) && (value as number) >= 0)) {
    throw refuse(where, "must be a number, zero or more");
  }
  if (kind === "schema" && !isObject(value)) throw refuse(where, "must be a JSON Schema object");
};

const checkList = (value: unknown, where: string): void => {
  if (!Array.isArray(value) || value.length === 0) {
    throw refuse(where, "must be a list with at least one entry; leave the field out to mean every one");
  }
  for (const [index, entry] of value.entries()) checkValue(entry, "text", `${where}[${index}]`);
};

const checkMeaning = (rule: Rule, place: string, toolkits: Toolkits): void => {
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
const refuse = (where: string, why: string) => new ConfigurationError("invalid_config", `${where} ${why}.`);
