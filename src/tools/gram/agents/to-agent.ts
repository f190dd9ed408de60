import { freezeJson, isStringList } from "../../../base/json/json-value.ts";
import { readSchema } from "../../../base/schema/read-schema.ts";
import { suggestName } from "../../../base/text/nearest.ts";
import type { Json } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { explainInvalidToolSearch } from "../../../types/tool-search.ts";
import type { AgentSpec, RecordFields } from "./agent-spec.ts";

/** In writing order. */
export const agentFields: readonly (keyof AgentSpec)[] = [
  "name",
  "description",
  "instructions",
  "model",
  "settings",
  "tools",
  "toolSearch",
  "output",
  "handoffs",
];

/** `instructions` is accepted too. */
const agentKeys = [
  "name",
  "description",
  "instruction",
  "model",
  "settings",
  "toolSearch",
  "output",
  "handoffs",
];

const isText = (value: Json | undefined): value is string => typeof value === "string" && value.trim() !== "";
const isNumber = (value: Json): boolean => typeof value === "number";
const settingChecks: Readonly<Record<string, (value: Json) => boolean>> = {
  temperature: isNumber,
  topP: isNumber,
  maxTokens: isNumber,
  stop: isStringList,
  seed: isNumber,
  toolChoice: (value) =>
    ["auto", "none", "required"].includes(value as string) ||
    (typeof value === "object" &&
      value !== null &&
      Object.keys(value).join() === "tool" &&
      isText((value as { tool: Json }).tool)),
};

export const toAgent = (
  { values, complain }: RecordFields,
  tools: readonly (ToolSpec | string)[],
): AgentSpec | undefined => {
  let isFine = true;
  const refuse = (code: string, key: string | undefined, message: string, hint: string) => {
    isFine = false;
    complain(code, key, message, hint);
  };
  const { name, description, instructions, model, handoffs = [] } = values;
  if (!isText(name)) refuse("missing-name", "name", "The agent has no name", "Write [greeter:Agent {…}].");
  if (!isText(instructions)) {
    refuse(
      "missing-instructions",
      "instructions",
      "The agent has no instructions",
      'Write {instruction: "You greet people."}.',
    );
  }
  if (description !== undefined && typeof description !== "string") {
    refuse(
      "wrong-value",
      "description",
      "The description must be a string",
      'Write {description: "Greets people"}.',
    );
  }
  if (model !== undefined && !isText(model)) {
    refuse("wrong-value", "model", "The model must be a string", 'Write {model: "openai/gpt-4o-mini"}.');
  }
  if (
    !isStringList(handoffs) ||
    new Set(handoffs as readonly string[]).size !== (handoffs as readonly string[]).length
  ) {
    refuse(
      "wrong-value",
      "handoffs",
      "The handoffs must be a list of distinct names",
      'Write {handoffs: ["billing"]}.',
    );
  }
  for (const key of Object.keys(values)) {
    if ((agentFields as readonly string[]).includes(key)) continue;
    refuse(
      "unknown-key",
      key,
      `Unknown key "${key}" of an agent`,
      `${suggestName(key, agentKeys).trimStart()} The keys are ${agentKeys.join(", ")}.`.trimStart(),
    );
  }
  const wrong = settingProblem(values.settings);
  if (wrong !== undefined)
    refuse("wrong-value", "settings", wrong, "Write {settings: {temperature: 0.2, maxTokens: 500}}.");
  const unsearchable = explainInvalidToolSearch(values.toolSearch);
  if (unsearchable !== undefined) {
    const hint = "Write {toolSearch: true} or {toolSearch: {maxCandidates: 5, maxLoaded: 20}}.";
    refuse("wrong-value", "toolSearch", `The toolSearch ${unsearchable}`, hint);
  }
  const unanswerable = outputProblem(values.output);
  if (unanswerable !== undefined) {
    const hint = 'Write {output: json`{"type": "object", "properties": {}}`}.';
    refuse("refused-schema", "output", `The output is refused: ${unanswerable}`, hint);
  }
  if (!isFine) return undefined;
  return freezeJson({
    name,
    ...(description === undefined ? {} : { description }),
    instructions,
    ...(model === undefined ? {} : { model }),
    ...(values.settings === undefined ? {} : { settings: values.settings }),
    tools: [...tools],
    ...(values.toolSearch === undefined ? {} : { toolSearch: values.toolSearch }),
    ...(values.output === undefined ? {} : { output: values.output }),
    handoffs: [...(handoffs as readonly string[])],
  } as unknown as AgentSpec);
};

const outputProblem = (given: Json | undefined): string | undefined => {
  if (given === undefined) return undefined;
  try {
    readSchema(given, "output");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
  }
};

const settingProblem = (given: Json | undefined): string | undefined => {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return "The settings must be a map";
  for (const [key, value] of Object.entries(given)) {
    const check = Object.hasOwn(settingChecks, key) ? settingChecks[key] : undefined;
    if (check === undefined)
      return `The setting "${key}" is unknown.${suggestName(key, Object.keys(settingChecks))} The settings are ${Object.keys(settingChecks).join(", ")}`;
    if (!check(value)) return `The setting "${key}" has an invalid value`;
  }
  return undefined;
};
