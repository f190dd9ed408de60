import type { AgentSpec } from "../tools/gram/agents/agent-spec.ts";
import type { Agent } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import { agent } from "./agent.ts";

/** Creates agents from a parsed file and resolves their handoffs by name. */
export const agentsFromSpecs = (specs: readonly AgentSpec[]): readonly Agent[] => {
  const made = new Map<string, Agent>();
  const target = (from: string, name: string) => (): Agent => {
    const found = made.get(name);
    if (found !== undefined) return found;
    throw new ConfigurationError(
      "invalid_config",
      `The agent "${from}" has a handoff to "${name}", which is not in the same file.`,
    );
  };
  for (const { handoffs, ...spec } of specs) {
    made.set(spec.name, agent({ ...spec, handoffs: handoffs.map((name) => target(spec.name, name)) }));
  }
  // Reports missing agents now instead of during a run.
  for (const each of made.values())
    for (const other of each.handoffs) if (typeof other === "function") other();
  return [...made.values()];
};
