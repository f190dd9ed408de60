import { copyJson } from "../../base/json/copy-json.ts";
import { freezeJson } from "../../base/json/json-value.ts";
import type { Agent, OutputFormat } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Json } from "../../types/json.ts";
import type { ToolSpec } from "../../types/tool.ts";
import {
  type AgentSpec,
  type ReadAgentOptions,
  type ReadAgentResult,
  type ReadToolsResult,
  recordFieldsOfJson,
} from "./agents/agent-spec.ts";
import { type ParsedAgents, readAgents } from "./agents/read-agents.ts";
import { readSource } from "./agents/read-source.ts";
import { readTextSignature } from "./agents/read-tool.ts";
import { agentFields, toAgent } from "./agents/to-agent.ts";
import { toToolSpec } from "./agents/to-tool-spec.ts";
import { agentsToDocument } from "./agents/write-agents.ts";
import { maxDiagnostics } from "./characters.ts";
import { type Diagnostic, DiagnosticCollector } from "./format-diagnostic.ts";
import { schemaJsonLimits } from "./signature/value-json.ts";
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

type JsonMembers = Readonly<Record<string, Json>>;

const isMembers = (value: Json): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const readAgentJson = (
  json: Json,
  resolve: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): ParsedAgents => {
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  const tools: ToolSpec[] = [];
  const agents: AgentSpec[] = [];
  const seen = new Set<string>();
  for (const [index, each] of list.entries()) {
    const pointer = Array.isArray(json) ? `/${index}` : "";
    const agent = readAgentMembers(each, pointer, resolve, tools, problems);
    if (agent === undefined) continue;
    if (seen.has(agent.name)) {
      problems.add(
        "duplicate-agent",
        undefined,
        `Two agents are called "${agent.name}" (at ${pointer})`,
        "Rename one.",
      );
    }
    seen.add(agent.name);
    agents.push(agent);
  }
  return { agents, tools };
};

const readToolsJson = (
  json: Json,
  _: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): ParsedAgents => {
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  const tools = list.map((each, index) =>
    readToolJson(each, Array.isArray(json) ? `/${index}` : "", problems),
  );
  return { agents: [], tools: tools.filter((tool) => tool !== undefined) };
};

const readAgentMembers = (
  json: Json,
  pointer: string,
  resolve: ReadAgentOptions["resolve"],
  defined: ToolSpec[],
  problems: DiagnosticCollector,
): AgentSpec | undefined => {
  const before = problems.list.length;
  if (!isMembers(json)) {
    problems.add("wrong-value", undefined, `An agent is an object (at ${pointer || "the root"})`, agentHint);
    return undefined;
  }
  const fields = recordFieldsOfJson(json, pointer, problems);
  const { tools: listed = [], ...values } = json;
  const given = Array.isArray(listed) ? (listed as readonly Json[]) : [];
  if (!Array.isArray(listed)) fields.complain("wrong-value", "tools", "The tools must be a list", agentHint);
  const tools: (ToolSpec | string)[] = [];
  const seen = new Set<string>();
  for (const [index, each] of given.entries()) {
    const place = `${pointer}/tools/${index}`;
    const tool =
      typeof each === "string"
        ? resolveTool(each, place, resolve, problems)
        : readToolJson(each, place, problems);
    if (tool === undefined) continue;
    const name = typeof tool === "string" ? tool : tool.name;
    if (seen.has(name)) {
      problems.add(
        "duplicate-tool",
        undefined,
        `The agent has two tools named "${name}" (at ${place})`,
        "Rename one.",
      );
    }
    if (typeof tool !== "string" && typeof each !== "string") defined.push(tool);
    seen.add(name);
    tools.push(tool);
  }
  const agent = toAgent({ ...fields, values }, tools);
  return problems.list.length > before ? undefined : agent;
};

const agentHint = 'Write { "name": "greeter", "instructions": "You greet people.", "tools": [] }.';

const resolveTool = (
  name: string,
  place: string,
  resolve: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): ToolSpec | string | undefined => {
  const found = resolve === undefined ? name : resolve(name);
  if (found === undefined)
    problems.add("unknown-tool", undefined, `No tool is called "${name}" (at ${place})`, "Define it.");
  return found;
};

/** A tool with only a signature gets its schemas from that. */
const readToolJson = (json: Json, pointer: string, problems: DiagnosticCollector): ToolSpec | undefined => {
  if (!isMembers(json)) {
    problems.add("wrong-value", undefined, `A tool is an object or a name (at ${pointer})`, agentHint);
    return undefined;
  }
  const before = problems.list.length;
  const fields = recordFieldsOfJson(json, pointer, problems);
  const derived = json.input === undefined ? readTextSignature(fields, () => undefined, problems) : {};
  const input =
    json.input ?? derived.input ?? (json.noSchemaMode === undefined ? undefined : { type: "object" });
  if (input === undefined) {
    fields.complain(
      "missing-signature",
      undefined,
      "The tool has no signature and no input schema",
      'Write "signature" or "input".',
    );
  }
  const values = { ...derived, ...json, input: input ?? { type: "object" } };
  const spec = toToolSpec({ ...fields, values });
  return problems.list.length > before ? undefined : spec;
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
