import { copyJson } from "../../base/json/copy-json.ts";
import { freezeJson } from "../../base/json/freeze-json.ts";
import type { Agent, OutputFormat } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Json } from "../../types/json.ts";
import type { AgentSpec, ReadAgentOptions, ReadAgentResult, ReadToolsResult } from "./agents/agent-spec.ts";
import { readAgentJson, readToolsJson } from "./agents/read-agent-json.ts";
import { type ParsedAgents, readAgents } from "./agents/read-agents.ts";
import { readSource } from "./agents/read-source.ts";
import { agentFields } from "./agents/to-agent.ts";
import { agentsToDocument } from "./agents/write-agents.ts";
import type { Diagnostic } from "./format-diagnostic.ts";
import { maxDiagnostics } from "./limits.ts";
import { DiagnosticCollector } from "./signature/diagnostic-collector.ts";
import { schemaJsonLimits } from "./signature/read-written-json.ts";
import { writeGram } from "./write-gram.ts";

/** Duplicate keys are ambiguous. */
const strictOptions = { duplicateKeys: "refuse" } as const;

/**
 * Reads agents and their tools from gram, from JSON of `toAgentJson` (text or value), or from gram with
 * indented `toolSpecification:` blocks. Reports all problems and never throws.
 */
export const readAgent = (source: unknown, options: ReadAgentOptions = {}): ReadAgentResult => {
  const { read, problems, restore } = readAgentSource(source, options.resolve, readAgentJson);
  const { agents, tools } = read;
  const named = options.agent;
  const agent = named === undefined ? agents[0] : agents.find(({ name }) => name === named);
  if (agent === undefined && problems.list.length === 0) {
    const names = agents.map(({ name }) => `"${name}"`).join(", ");
    const [message, hint] =
      agents.length === 0
        ? ["The text has no agent", 'Write [greeter:Agent {instruction: "You greet people."} | sayHello].']
        : [`No agent is called "${named}"`, `There are ${names}.`];
    problems.add("no-agent", undefined, message, hint);
  }
  if (agent === undefined || problems.list.length > 0) return failedReading(problems, restore);
  return { ok: true, agent, agents: Object.freeze(agents), tools: Object.freeze(tools) };
};

/** Reads the tools of a file, with or without agents; in JSON, a spec or a list of them. */
export const readTools = (source: unknown): ReadToolsResult => {
  const { read, problems, restore } = readAgentSource(source, undefined, readToolsJson);
  if (problems.list.length > 0) return failedReading(problems, restore);
  return { ok: true, tools: Object.freeze(read.tools) };
};

/** How `writeAgent` formats its text. */
export interface WriteAgentOptions {
  /** Line breaks and indentation; true by default. */
  readonly pretty?: boolean;
}

/**
 * Writes agents as gram that `readAgent` reads back without loss. Code is not written: tools become specs and
 * models ids. Throws a ConfigurationError for an agent that could not be read back.
 */
export const writeAgent = (
  agent: WritableAgent | readonly WritableAgent[],
  { pretty = true }: WriteAgentOptions = {},
): string => {
  const agents = (Array.isArray(agent) ? agent : [agent]).map(toAgentSpec);
  const duplicate = agents.find(({ name }, index) => agents.findIndex((each) => each.name === name) < index);
  if (duplicate !== undefined) {
    throw new ConfigurationError("invalid_config", `Two agents are called "${duplicate.name}".`);
  }
  return writeGram(agentsToDocument(agents), { pretty });
};

/** The agent as plain JSON without code. Throws like `writeAgent`. */
export const toAgentJson = (agent: WritableAgent): AgentSpec => toAgentSpec(agent);

interface AgentSource {
  readonly read: ParsedAgents;
  readonly problems: DiagnosticCollector;
  readonly restore?: (diagnostic: Diagnostic) => Diagnostic;
}

const noAgents: ParsedAgents = { agents: [], tools: [] };

const readAgentSource = (
  source: unknown,
  resolve: ReadAgentOptions["resolve"],
  readMembers: typeof readAgentJson,
): AgentSource => {
  const problems = new DiagnosticCollector();
  if (typeof source !== "string") {
    const copy = copyJson(source, schemaJsonLimits);
    if (copy.ok) return { read: readMembers(freezeJson(copy.value as Json), resolve, problems), problems };
    problems.add(
      "not-json",
      undefined,
      copy.problem.message.replace(/\.$/, ""),
      "Pass a string or plain JSON.",
    );
    return { read: noAgents, problems };
  }
  const reading = readSource(source, strictOptions);
  if (reading.kind === "json") return { read: readMembers(reading.value, resolve, problems), problems };
  if (reading.kind === "gram") {
    const { document, text, restore } = reading;
    return { read: readAgents(document, text, resolve, problems), problems, restore };
  }
  problems.list.push(...reading.diagnostics);
  return { read: noAgents, problems };
};

const failedReading = (
  { list }: DiagnosticCollector,
  restore: (diagnostic: Diagnostic) => Diagnostic = (diagnostic) => diagnostic,
): { readonly ok: false; readonly diagnostics: readonly Diagnostic[] } => {
  const first = list.toSorted((left, right) => left.offset - right.offset).slice(0, maxDiagnostics);
  return { ok: false, diagnostics: Object.freeze(first.map(restore)) };
};

type WritableAgent = AgentSpec | Agent;

/** Everything written must be readable. */
const toAgentSpec = (agent: WritableAgent): AgentSpec => {
  const { model, tools = [], handoffs = [], output } = agent;
  const given = {
    ...Object.fromEntries(agentFields.map((field) => [field, agent[field]])),
    model: isObject(model) ? model.id : model,
    output: isOutputFormat(output) ? output.schema : output,
    tools: tools.map((tool) => (isObject(tool) && "spec" in tool ? tool.spec : tool)),
    handoffs: handoffs.map((other) => (isObject(other) ? other.name : other)),
  };
  const copy = copyJson(given, schemaJsonLimits);
  if (!copy.ok) throw invalidAgentError(copy.problem.message);
  const problems = new DiagnosticCollector();
  const { agents } = readAgentJson(copy.value as Json, undefined, problems);
  const [spec] = agents;
  if (spec !== undefined && problems.list.length === 0) return spec;
  throw invalidAgentError(problems.list.map(({ message }) => message).join(" "));
};

const isOutputFormat = (output: WritableAgent["output"]): output is OutputFormat =>
  isObject(output) && typeof output.validate === "function";

const isObject = <T>(value: T): value is T & object => typeof value === "object" && value !== null;

const invalidAgentError = (why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `The agent cannot be written. ${why}`);
