import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/freeze-json.ts";
import type { Agent, AnswerForm } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Json } from "../words/json.ts";
import type { AgentReading, AgentSpec, ReadAgentOptions, ToolsReading } from "./agents/agent-spec.ts";
import { readAgentJson, readToolsJson } from "./agents/read-agent-json.ts";
import { type ReadAgents, readAgents } from "./agents/read-agents.ts";
import { readSource } from "./agents/read-source.ts";
import { agentFields } from "./agents/to-agent.ts";
import { agentsToDocument } from "./agents/write-agents.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { mostDiagnostics } from "./limits.ts";
import { Problems } from "./signature/problems.ts";
import { limits } from "./signature/read-written-json.ts";
import { writeGram } from "./write-gram.ts";

/** What a key means must be certain in an agent's file. */
const strict = { duplicateKeys: "refuse" } as const;

/**
 * Reads agents and their tools from gram, from JSON as `toAgentJson` makes it (text or value), or from gram with
 * the indented `toolSpecification:` blocks in it. Says everything that is wrong, and never throws.
 */
export const readAgent = (source: unknown, options: ReadAgentOptions = {}): AgentReading => {
  const { read, problems, restore } = readMembersOf(source, options.resolve, readAgentJson);
  const { agents, tools } = read;
  const named = options.agent;
  const agent = named === undefined ? agents[0] : agents.find(({ name }) => name === named);
  if (agent === undefined && problems.list.length === 0) {
    const names = agents.map(({ name }) => `"${name}"`).join(", ");
    const [message, hint] =
      agents.length === 0
        ? ["There is no agent here", 'Write [greeter:Agent {instruction: "You greet people."} | sayHello].']
        : [`No agent is called "${named}"`, `There are ${names}.`];
    problems.add("no-agent", undefined, message, hint);
  }
  if (agent === undefined || problems.list.length > 0) return failed(problems, restore);
  return { ok: true, agent, agents: Object.freeze(agents), tools: Object.freeze(tools) };
};

/** Reads the tools of a file, whether or not it has agents; JSON is a spec or a list of them. */
export const readTools = (source: unknown): ToolsReading => {
  const { read, problems, restore } = readMembersOf(source, undefined, readToolsJson);
  if (problems.list.length > 0) return failed(problems, restore);
  return { ok: true, tools: Object.freeze(read.tools) };
};

/** How `writeAgent` lays out its text. */
export interface WriteAgentOptions {
  /** Lines and indentation for people; unless told otherwise, yes. */
  readonly pretty?: boolean;
}

/**
 * Writes one agent or several as gram that `readAgent` reads back without loss. Code is never written: of a tool
 * its spec is, of a model its id. Throws a ConfigurationError for an agent that could not be read again.
 */
export const writeAgent = (
  agent: WritableAgent | readonly WritableAgent[],
  { pretty = true }: WriteAgentOptions = {},
): string => {
  const agents = (Array.isArray(agent) ? agent : [agent]).map(toAgentSpec);
  const twin = agents.find(({ name }, index) => agents.findIndex((each) => each.name === name) < index);
  if (twin !== undefined) {
    throw new ConfigurationError("invalid_config", `Two agents are called "${twin.name}".`);
  }
  return writeGram(agentsToDocument(agents), { pretty });
};

/** The agent as plain JSON, without its code. Throws as `writeAgent` does. */
export const toAgentJson = (agent: WritableAgent): AgentSpec => toAgentSpec(agent);

interface Source {
  readonly read: ReadAgents;
  readonly problems: Problems;
  readonly restore?: (diagnostic: Diagnostic) => Diagnostic;
}

const nothing: ReadAgents = { agents: [], tools: [] };

const readMembersOf = (
  source: unknown,
  resolve: ReadAgentOptions["resolve"],
  readMembers: typeof readAgentJson,
): Source => {
  const problems = new Problems();
  if (typeof source !== "string") {
    const copy = copyJson(source, limits);
    if (copy.ok) return { read: readMembers(freezeJson(copy.value as Json), resolve, problems), problems };
    problems.add(
      "not-json",
      undefined,
      copy.problem.message.replace(/\.$/, ""),
      "Give a text or plain JSON.",
    );
    return { read: nothing, problems };
  }
  const reading = readSource(source, strict);
  if (reading.kind === "json") return { read: readMembers(reading.value, resolve, problems), problems };
  if (reading.kind === "gram") {
    const { document, text, restore } = reading;
    return { read: readAgents(document, text, resolve, problems), problems, restore };
  }
  problems.list.push(...reading.diagnostics);
  return { read: nothing, problems };
};

const failed = (
  { list }: Problems,
  restore: (diagnostic: Diagnostic) => Diagnostic = (diagnostic) => diagnostic,
): { readonly ok: false; readonly diagnostics: readonly Diagnostic[] } => {
  const first = list.toSorted((left, right) => left.offset - right.offset).slice(0, mostDiagnostics);
  return { ok: false, diagnostics: Object.freeze(first.map(restore)) };
};

/** A spec, or an agent with code in it, of which only what can be written is taken. */
type WritableAgent = AgentSpec | Agent;

/** Judged as a file is, so that nothing is written that could not be read again. */
const toAgentSpec = (agent: WritableAgent): AgentSpec => {
  const { model, tools = [], handoffs = [], output } = agent;
  const given = {
    ...Object.fromEntries(agentFields.map((field) => [field, agent[field]])),
    model: isObject(model) ? model.id : model,
    output: isAnswerForm(output) ? output.schema : output,
    tools: tools.map((tool) => (isObject(tool) && "spec" in tool ? tool.spec : tool)),
    handoffs: handoffs.map((other) => (isObject(other) ? other.name : other)),
  };
  const copy = copyJson(given, limits);
  if (!copy.ok) throw refused(copy.problem.message);
  const problems = new Problems();
  const { agents } = readAgentJson(copy.value as Json, undefined, problems);
  const [spec] = agents;
  if (spec !== undefined && problems.list.length === 0) return spec;
  throw refused(problems.list.map(({ message }) => message).join(" "));
};

const isAnswerForm = (output: WritableAgent["output"]): output is AnswerForm =>
  isObject(output) && typeof output.validate === "function";

const isObject = <T>(value: T): value is T & object => typeof value === "object" && value !== null;

const refused = (why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `The agent cannot be written. ${why}`);
