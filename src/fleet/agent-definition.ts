import { agentToolName } from "../agent/agent.ts";
import { hashJson } from "../base/json/canonical-json.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { definitionHash } from "../tools/tool-definition.ts";
import { type Agent, handoffsOf } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { ToolSpec } from "../types/tool.ts";

const definitionCache = new WeakMap<
  Agent,
  { readonly registry: ToolRegistry; readonly version: number; readonly hash: string }
>();

/** Hash of an agent's definition: instructions, model, output schema, tool specs and handoffs. */
export const agentDefinition = (agent: Agent, registry: ToolRegistry): string => {
  const before = definitionCache.get(agent);
  if (before?.registry === registry && before.version === registry.version) return before.hash;
  const hash = hashJson(collectAgents(agent).map((each) => toAgentDefinition(each, registry)));
  definitionCache.set(agent, { registry, version: registry.version, hash });
  return hash;
};

const collectAgents = (agent: Agent, seen = new Set<Agent>()): readonly Agent[] => {
  if (seen.has(agent)) return [];
  seen.add(agent);
  for (const each of handoffsOf(agent)) collectAgents(each, seen);
  return [...seen];
};

const toAgentDefinition = (agent: Agent, registry: ToolRegistry) => {
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
    `The agent "${agent.name}" names the tool "${agentToolName(each)}", which this runtime does not have. The process that submits a run ` +
      "needs the same definitions as the workers: give this runtime the tool, or the agent its spec.",
  );
};
