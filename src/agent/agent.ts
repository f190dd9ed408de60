import type { SchemaSource, Validated } from "../schema/infer.ts";
import type { ToolClass } from "../tool/class-implementation.ts";
import { toTool } from "../tool/decorator.ts";
import type { Agent, AnswerForm } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { Model } from "../words/model.ts";
import { wrongToolSearch } from "../words/tool-search.ts";
import { toAnswerForm } from "./answer/answer-form.ts";

/** What an author says of an agent; all but the name and the instructions may be left out. */
export type AgentDefinition<Output extends AnswerSource | undefined = AnswerSource | undefined> = Pick<
  Agent,
  "name" | "instructions"
> &
  Partial<Omit<Agent, "name" | "instructions" | "layer" | "tools" | "output">> & {
    /** What its runs answer with, as a schema of any form: `response.output` is then typed, validated and there whenever the run is `done`. */
    readonly output?: Output;
    readonly tools?: readonly (Agent["tools"][number] | ToolClass)[];
  };

/** A schema, or the form that another agent has. */
type AnswerSource = SchemaSource | AnswerForm;

/** What a run of an agent with this output answers. */
export type AnswerOf<Output> =
  Output extends AnswerForm<infer Answer>
    ? Answer
    : Output extends SchemaSource
      ? Validated<Output>
      : undefined;

const fields: readonly (keyof AgentDefinition)[] = [
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

/** Defines an agent. Plain data but for the code of whole tools, layers and a model that it may carry. */
export const agent = <const Output extends AnswerSource | undefined = undefined>(
  definition: AgentDefinition<Output>,
): Agent<AnswerOf<Output>> => {
  check(definition);
  const { tools: given = [], handoffs = [], layers = [], modelLayers = [], output, ...rest } = definition;
  const form = output === undefined ? undefined : toAnswerForm(definition.name, output);
  const made: Agent<AnswerOf<Output>> = Object.freeze({
    ...rest,
    ...(form === undefined ? {} : { output: form as AnswerForm<AnswerOf<Output>> }),
    tools: Object.freeze(given.map(toListed)),
    handoffs: Object.freeze([...handoffs]),
    layers: Object.freeze([...layers]),
    modelLayers: Object.freeze([...modelLayers]),
    layer: (...more: readonly AnyLayer[]) => agent({ ...definition, layers: [...layers, ...more] }),
  });
  return made;
};

const check = (definition: AgentDefinition): void => {
  if (typeof definition !== "object" || definition === null) {
    throw refused("agent takes { name, instructions, … }.");
  }
  const { name, instructions, tools = [], handoffs = [], layers = [], modelLayers = [] } = definition;
  if (!isText(name)) throw refused("An agent needs a `name`, a non-empty string.");
  if (!isText(instructions)) throw refused(`The agent "${name}" needs \`instructions\`, a non-empty string.`);
  const odd = Object.keys(definition).find((field) => field !== "layer" && !fields.includes(field as never));
  if (odd !== undefined) {
    throw refused(
      `The agent "${name}" has a field \`${odd}\`, which means nothing here. The fields are: ${fields.join(", ")}.`,
    );
  }
  for (const [field, list] of Object.entries({ tools, handoffs, layers, modelLayers })) {
    if (!Array.isArray(list)) throw refused(`The agent "${name}" needs a list as \`${field}\`.`);
  }
  refuseTwins(
    name,
    "tool",
    tools.map((each) => nameOfTool(toListed(each))),
  );
  if (!handoffs.every((other) => typeof other === "function" || typeof other?.layer === "function")) {
    throw refused(`The handoffs of "${name}" are agents, or functions that give one.`);
  }
  const wrong = wrongToolSearch(definition.toolSearch);
  if (wrong !== undefined) throw refused(`\`toolSearch\` of the agent "${name}" ${wrong}.`);
  if (definition.model !== undefined && !isModel(definition.model)) {
    throw refused(
      `The model of "${name}" is a name such as "openai/gpt-5", or has \`id\`, \`generate\` and \`stream\`.`,
    );
  }
  refuseTwins(
    name,
    "handoff",
    handoffs.flatMap((other) => (typeof other === "object" ? [other.name] : [])),
  );
};

/** A name, or something that can be asked whole and in pieces. */
export const isModel = (model: unknown): boolean => {
  if (typeof model === "string") return true;
  const { id, generate, stream } = Object(model) as Partial<Model>;
  return typeof id === "string" && typeof generate === "function" && typeof stream === "function";
};

const toListed = (tool: Agent["tools"][number] | ToolClass): Agent["tools"][number] =>
  toTool(tool) ?? (tool as Agent["tools"][number]);

/** A spec, a whole tool or a name: each is called something. */
export const nameOfTool = (tool: Agent["tools"][number]): string => {
  if (typeof tool === "string") return tool;
  const named = typeof tool === "object" && tool !== null && "spec" in tool ? tool.spec : tool;
  if (typeof named === "object" && isText(named?.name)) return named.name;
  throw refused("An agent's tools are specs, tools, classes made with @Tool, or names.");
};

const refuseTwins = (agentName: string, what: string, names: readonly string[]): void => {
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw refused(`The agent "${agentName}" has two ${what}s named "${twin}".`);
};

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
