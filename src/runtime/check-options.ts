import * as Layer from "effect/Layer";
import { checkFields } from "../base/json/check-fields.ts";
import { isObject } from "../base/json/json-value.ts";
import { suggestName } from "../base/text/nearest.ts";
import { isSkillName, skillNames } from "../sandbox/skills/skill-names.ts";
import { toTool } from "../tools/decorator.ts";
import { ConfigurationError } from "../types/errors.ts";
import { eventNames } from "../types/event.ts";
import type { Fleet } from "../types/fleet.ts";
import type { HaftOptions } from "./haft-options.ts";

type OptionCheck = (value: unknown) => boolean;
/** Names the misspelled entry of a list or an object. Begins with a space, or is empty. */
type MisspellingHint = (value: unknown) => string;

const isFunction: OptionCheck = (value) => typeof value === "function";
const isTool: OptionCheck = (value) =>
  toTool(value) !== undefined || (isObject(value) && isObject((value as { spec?: unknown }).spec));
const isWorkspace: OptionCheck = (value) =>
  isObject(value) && (value as { toolboxes?: unknown }).toolboxes instanceof Map;
const isModel: OptionCheck = (value) =>
  typeof value === "string" || (isObject(value) && isFunction((value as { generate?: unknown }).generate));
const isListOf =
  (kind: OptionCheck): OptionCheck =>
  (value) =>
    Array.isArray(value) && value.every(kind);

const hintUnknownNames =
  (known: readonly string[], namesOf: (value: unknown) => readonly unknown[]): MisspellingHint =>
  (value) => {
    const unknown = namesOf(value).find((name) => typeof name === "string" && !known.includes(name));
    return typeof unknown === "string" ? ` Unknown option "${unknown}".${suggestName(unknown, known)}` : "";
  };

const optionChecks: Readonly<
  Record<keyof HaftOptions, readonly [words: string, fits: OptionCheck, hint?: MisspellingHint]>
> = {
  tools: ["a list of tools; create tools with tool({ … }) or @Tool({ … })", isListOf(isTool)],
  skills: [
    `a list of built-in tools: ${skillNames.join(", ")}`,
    isListOf(isSkillName),
    hintUnknownNames(skillNames, (value) => (Array.isArray(value) ? value : [value])),
  ],
  project: ["a workspace; create one with workspace().toolbox(…).add(…).build()", isWorkspace],
  org: [
    "a workspace, or { name, workspace }",
    (value) => isWorkspace(value) || isWorkspace((value as { workspace?: unknown } | null)?.workspace),
  ],
  services: ["an Effect Layer", Layer.isLayer],
  layers: [
    "a list of layers; use one from haft/layers, such as retry(), or create one with asyncLayer(…)",
    isListOf(isFunction),
  ],
  policy: ["{ rules, toolkits } or a policy engine", isObject],
  ledger: [
    '"memory", "sqlite:./haft.db", "postgres://…" or a LedgerStore',
    (value) =>
      typeof value === "string" || (isObject(value) && isFunction((value as { open?: unknown }).open)),
  ],
  principal: ['a principal, such as { agent: "demo", allow: ["get_*"] }', isObject],
  approver: ["a function that requests approval from a person", isFunction],
  approvals: ["{ expireAfterMs, webhook: { url, secret } }", isObject],
  model: ['a model, or a name such as "openai/gpt-5"', isModel],
  credentials: [
    "{ values, env, file, command, sources, oauth, tokens }, a function, or a list of them",
    (value) => isObject(value) || Array.isArray(value) || isFunction(value),
  ],
  mcp: ["{ servers: { id: { command } or { url } } }", isObject],
  httpEgress: ["an object with limits and allow lists", isObject],
  fleet: [
    "fleet() of haft/fleet",
    (value) =>
      isObject(value) &&
      isFunction((value as Partial<Fleet>).open) &&
      isFunction((value as Partial<Fleet>).services),
  ],
  config: [
    "settings, or the path of a file with them",
    (value) => isObject(value) || typeof value === "string",
  ],
  on: [
    `an object of listeners, such as { "tools.executed": (event) => … }; the events are ${eventNames.join(", ")}`,
    (value) =>
      isObject(value) &&
      Object.entries(value as object).every(
        ([name, each]) => eventNames.includes(name) && (each === undefined || isFunction(each)),
      ),
    hintUnknownNames(eventNames, (value) => Object.keys(Object(value))),
  ],
  env: ["anything", () => true],
};

const policyFields = [
  "rules",
  "toolkits",
  "rights",
  "blockHighRiskWithoutApproval",
  "approveTaintedSinks",
  "approveTaintedAddresses",
  "injection",
  "requireAuthorizationForAll",
  "pathBase",
  "strict",
];
const mcpFields = [
  "servers",
  "lock",
  "refuse",
  "ask",
  "onSignIn",
  "allow",
  "tokens",
  "truncateToFile",
  "waitMs",
];
const httpEgressFields = ["allow", "lookup", "connectTimeoutMs", "timeoutMs", "maxBytes", "redirects"];

/** Rejects unknown or invalid options before anything is opened. */
export const checkOptions = (given: object, where = "Haft.open"): void => {
  checkFields(where, given, Object.keys(optionChecks));
  for (const [name, [words, fits, hint]] of Object.entries(optionChecks)) {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined || fits(value)) continue;
    throw new ConfigurationError(
      "invalid_config",
      `${where}: \`${name}\` must be ${words}.${hint?.(value) ?? ""}`,
    );
  }
  const { policy, httpEgress, approvals, mcp } = given as HaftOptions;
  if (policy !== undefined && !("decide" in policy)) checkFields("The policy", policy, policyFields);
  if (policy !== undefined && "rules" in policy && !Array.isArray(policy.rules ?? [])) {
    throw new ConfigurationError("invalid_config", "The policy needs a list as `rules`.");
  }
  if (approvals !== undefined) checkFields("approvals", approvals, ["expireAfterMs", "webhook"]);
  const expireAfterMs = approvals?.expireAfterMs ?? 1;
  if (!Number.isSafeInteger(expireAfterMs) || expireAfterMs < 1) {
    throw new ConfigurationError(
      "invalid_config",
      `approvals.expireAfterMs must be a whole number of milliseconds, 1 or more; it is ${JSON.stringify(expireAfterMs)}. Omit it for the default of one day.`,
    );
  }
  if (mcp !== undefined) checkFields("mcp", mcp, mcpFields);
  if (mcp?.servers !== undefined && !isObject(mcp.servers)) {
    throw new ConfigurationError(
      "invalid_config",
      "mcp.servers must be an object of servers by id: { files: { command } or { url } }.",
    );
  }
  if (httpEgress !== undefined) checkFields("httpEgress", httpEgress, httpEgressFields);
};
