import type { Json } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import type { DiagnosticCollector } from "../signature/diagnostic-collector.ts";
import type { AgentSpec, ReadAgentOptions } from "./agent-spec.ts";
import type { ParsedAgents } from "./read-agents.ts";
import { readTextSignature } from "./read-text-signature.ts";
import { recordFieldsOfJson } from "./record-fields.ts";
import { toAgent } from "./to-agent.ts";
import { toToolSpec } from "./to-tool-spec.ts";

type JsonMembers = Readonly<Record<string, Json>>;

const isMembers = (value: Json): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const readAgentJson = (
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

export const readToolsJson = (
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
