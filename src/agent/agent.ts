import type { SchemaOutput, SchemaSource } from "../base/schema/infer.ts";
import { suggestName } from "../base/text/nearest.ts";
import { checkLayers } from "../tools/assemble-tool.ts";
import type { ToolClass } from "../tools/class-implementation.ts";
import { toTool } from "../tools/decorator.ts";
import type { Agent, OutputFormat } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Model } from "../types/model.ts";
import type { AnyLayer } from "../types/tool.ts";
import { explainInvalidToolSearch } from "../types/tool-search.ts";
import { readOutputFormat } from "./answer-format.ts";

/** Definition of an agent; only `name` and `instructions` are required. */
export type AgentDefinition<Output extends OutputSource | undefined = OutputSource | undefined> = Pick<
  Agent,
  "name" | "instructions"
> &
  Partial<Omit<Agent, "name" | "instructions" | "layer" | "tools" | "output">> & {
    /** Schema of the answer in any supported form. Types and validates `response.output`. */
    readonly output?: Output;
    readonly tools?: readonly (Agent["tools"][number] | ToolClass)[];
  };

type OutputSource = SchemaSource | OutputFormat;

export type AgentOutputOf<Output> =
  Output extends OutputFormat<infer Answer>
    ? Answer
    : Output extends SchemaSource
      ? SchemaOutput<Output>
      : undefined;

const definitionFields: readonly (keyof AgentDefinition)[] = [
  "name",
  "description",
  "instructions",
  "model",
  "settings",
  "tools",
  "toolSearch",
  "output",
  "handoffs",
  "layers",
  "modelLayers",
];

/** Defines an agent. */
export const agent = <const Output extends OutputSource | undefined = undefined>(
  definition: AgentDefinition<Output>,
): Agent<AgentOutputOf<Output>> => {
  checkAgentDefinition(definition);
  const { tools: given = [], handoffs = [], layers = [], modelLayers = [], output, ...rest } = definition;
  const form = output === undefined ? undefined : readOutputFormat(definition.name, output);
  const made: Agent<AgentOutputOf<Output>> = Object.freeze({
    ...rest,
    ...(form === undefined ? {} : { output: form as OutputFormat<AgentOutputOf<Output>> }),
    tools: Object.freeze(given.map(toToolEntry)),
    handoffs: Object.freeze([...handoffs]),
    layers: Object.freeze([...layers]),
    modelLayers: Object.freeze([...modelLayers]),
    layer: (...more: readonly AnyLayer[]) => agent({ ...definition, layers: [...layers, ...more] }),
  });
  return made;
};

const checkAgentDefinition = (definition: AgentDefinition): void => {
  if (typeof definition !== "object" || definition === null) {
    throw invalidConfigError("agent() requires { name, instructions, … }.");
  }
  const { name, instructions, tools = [], handoffs = [], layers = [], modelLayers = [] } = definition;
  if (!isText(name)) throw invalidConfigError("An agent needs a `name`, a non-empty string.");
  if (!isText(instructions))
    throw invalidConfigError(`The agent "${name}" needs \`instructions\`, a non-empty string.`);
  const odd = Object.keys(definition).find(
    (field) => field !== "layer" && !definitionFields.includes(field as never),
  );
  if (odd !== undefined) {
    throw invalidConfigError(
      `The agent "${name}" has an unknown field \`${odd}\`.${suggestName(odd, definitionFields)} The fields are: ${definitionFields.join(", ")}.`,
    );
  }
  for (const [field, list] of Object.entries({ tools, handoffs, layers, modelLayers })) {
    if (!Array.isArray(list)) throw invalidConfigError(`The agent "${name}" needs a list as \`${field}\`.`);
  }
  checkLayers(`The agent "${name}"`, [...layers, ...modelLayers]);
  refuseDuplicateNames(
    name,
    "tool",
    tools.map((each) => agentToolName(toToolEntry(each))),
  );
  if (!handoffs.every((other) => typeof other === "function" || typeof other?.layer === "function")) {
    throw invalidConfigError(`The handoffs of "${name}" must be agents, or functions that return one.`);
  }
  const wrong = explainInvalidToolSearch(definition.toolSearch);
  if (wrong !== undefined) throw invalidConfigError(`\`toolSearch\` of the agent "${name}" ${wrong}.`);
  if (definition.model !== undefined && !isModel(definition.model)) {
    throw invalidConfigError(
      `The model of "${name}" must be a name such as "openai/gpt-5", or an object with \`id\`, \`generate\` and \`stream\`.`,
    );
  }
  refuseDuplicateNames(
    name,
    "handoff",
    handoffs.flatMap((other) => (typeof other === "object" ? [other.name] : [])),
  );
};

export const isModel = (model: unknown): boolean => {
  if (typeof model === "string") return true;
  const { id, generate, stream } = Object(model) as Partial<Model>;
  return typeof id === "string" && typeof generate === "function" && typeof stream === "function";
};

const toToolEntry = (tool: Agent["tools"][number] | ToolClass): Agent["tools"][number] =>
  toTool(tool) ?? (tool as Agent["tools"][number]);

export const agentToolName = (tool: Agent["tools"][number]): string => {
  if (typeof tool === "string") return tool;
  const named = typeof tool === "object" && tool !== null && "spec" in tool ? tool.spec : tool;
  if (typeof named === "object" && isText(named?.name)) return named.name;
  throw invalidConfigError("An agent's tools must be specs, tools, classes with @Tool, or names.");
};

const refuseDuplicateNames = (agentName: string, what: string, names: readonly string[]): void => {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw invalidConfigError(`The agent "${agentName}" has two ${what}s named "${duplicate}".`);
};

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
