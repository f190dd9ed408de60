import { nameOfTool } from "../agent/agent.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { hashJson } from "../json/hash.ts";
import { definitionHash } from "../tool/definition-hash.ts";
import { type Agent, handoffsOf } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";

const known = new WeakMap<
  Agent,
  { readonly registry: ToolRegistry; readonly version: number; readonly hash: string }
>();

/**
 * What an agent is, in one hash: its words, its model, its answer, the specs of its tools, and the agents it hands over
 * to. A worker goes on with a run only if its own agent has the same.
 */
export const agentDefinition = (agent: Agent, registry: ToolRegistry): string => {
  const before = known.get(agent);
  if (before?.registry === registry && before.version === registry.version) return before.hash;
  const hash = hashJson(everyAgent(agent).map((each) => toDefinition(each, registry)));
  known.set(agent, { registry, version: registry.version, hash });
  return hash;
};

/** The agent and all that it leads to, each once. */
const everyAgent = (agent: Agent, seen = new Set<Agent>()): readonly Agent[] => {
  if (seen.has(agent)) return [];
  seen.add(agent);
  for (const each of handoffsOf(agent)) everyAgent(each, seen);
  return [...seen];
};

const toDefinition = (agent: Agent, registry: ToolRegistry) => {
  const { name, instructions, model, output, settings } = agent;
  return {
    name,
    instructions,
    model: (typeof model === "object" ? model.id : model) ?? null,
    settings: settings ?? null,
    output: output?.schema ?? null,
    tools: agent.tools.flatMap((each) => toolHashes(agent, each, registry)).sort(),
    handoffs: handoffsOf(agent).map((each) => each.name),
  };
};

const toolHashes = (
  agent: Agent,
  each: Agent["tools"][number],
  registry: ToolRegistry,
): readonly string[] => {
  if (each === "*") return registry.ordered().map(({ tool }) => definitionHash(tool.spec));
  if (typeof each !== "string") return [definitionHash("spec" in each ? each.spec : (each as ToolSpec))];
  const found = registry.get(each);
  if (found !== undefined) return [definitionHash(found.tool.spec)];
  throw new ConfigurationError(
    "invalid_config",
    `The agent "${agent.name}" names the tool "${nameOfTool(each)}", which this runtime does not have. Whoever submits a run ` +
      "needs the same definitions as the workers: give this runtime the tool, or the agent its spec.",
  );
};
