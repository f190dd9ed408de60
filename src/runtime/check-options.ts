import * as Layer from "effect/Layer";
import { checkFields } from "../json/check-fields.ts";
import { isSkillName, skillNames } from "../skills/skill-names.ts";
import { toTool } from "../tool/decorator.ts";
import { ConfigurationError } from "../words/errors.ts";
import { eventNames } from "../words/event.ts";
import type { Fleet } from "../words/fleet.ts";
import type { HaftOptions } from "./options.ts";

type OptionCheck = (value: unknown) => boolean;

const isObject: OptionCheck = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
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

/** What each option must be, in words and in code. */
const options: Readonly<Record<keyof HaftOptions, readonly [words: string, fits: OptionCheck]>> = {
  tools: ["a list of tools; make one with tool({ … }) or @Tool({ … })", isListOf(isTool)],
  skills: [`a list of built-in tools; there are ${skillNames.join(", ")}`, isListOf(isSkillName)],
  project: ["a workspace; make one with workspace().toolbox(…).add(…).build()", isWorkspace],
  org: [
    "a workspace, or { name, workspace }",
    (value) => isWorkspace(value) || isWorkspace((value as { workspace?: unknown } | null)?.workspace),
  ],
  services: ["an Effect Layer", Layer.isLayer],
  layers: ["a list of layers", isListOf(isFunction)],
  policy: ["{ rules, toolkits } or a policy engine", isObject],
  ledger: [
    '"memory", "sqlite:./haft.db", "postgres://…" or a LedgerStore',
    (value) =>
      typeof value === "string" || (isObject(value) && isFunction((value as { open?: unknown }).open)),
  ],
  principal: ['a principal, such as { agent: "demo", allow: ["get_*"] }', isObject],
  approver: ["a function that asks a person", isFunction],
  approvals: ["{ webhook: { url, secret } }", isObject],
  model: ['a model, or a name such as "openai/gpt-5"', isModel],
  credentials: [
    "{ values, env, file, command, sources, oauth, tokens }, a function, or a list of them",
    (value) => isObject(value) || Array.isArray(value) || isFunction(value),
  ],
  mcp: ["{ servers: { id: { command } or { url } } }", isObject],
  outside: ["an object with limits and places", isObject],
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
  ],
  env: ["anything", () => true],
};

const policyFields = [
  "rules",
  "toolkits",
  "rights",
  "blockHighRiskWithoutApproval",
  "approveTaintedSinks",
  "requireAuthorizationForAll",
];
const mcpFields = ["servers", "lock", "ask", "onSignIn", "allow", "tokens", "spill", "waitMs"];
const outsideFields = ["allow", "lookup", "connectTimeoutMs", "timeoutMs", "maxBytes", "redirects"];

/** Refuses what could not mean anything, by name, before anything is opened. */
export const checkOptions = (given: object, where = "Haft.open"): void => {
  checkFields(where, given, Object.keys(options));
  for (const [name, [words, fits]] of Object.entries(options)) {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined || fits(value)) continue;
    throw new ConfigurationError("invalid_config", `${where}: \`${name}\` must be ${words}.`);
  }
  const { policy, outside, approvals, mcp } = given as HaftOptions;
  if (policy !== undefined && !("decide" in policy)) checkFields("The policy", policy, policyFields);
  if (policy !== undefined && "rules" in policy && !Array.isArray(policy.rules ?? [])) {
    throw new ConfigurationError("invalid_config", "The policy needs a list as `rules`.");
  }
  if (approvals !== undefined) checkFields("approvals", approvals, ["webhook"]);
  if (mcp !== undefined) checkFields("mcp", mcp, mcpFields);
  if (outside !== undefined) checkFields("outside", outside, outsideFields);
};
