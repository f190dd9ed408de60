import { type RunEnding, type RunProgress, subtractUsage } from "./run-progress.ts";
import type { RunState, StopPolicy } from "./stop-policies.ts";

export const applyStopPolicies = (
  policies: readonly StopPolicy[],
  progress: RunProgress,
  elapsedMs: number,
): RunEnding | undefined => {
  const { toolsUsed, agent, text, before } = progress;
  const turns = progress.turns - before.turns;
  const usage = subtractUsage(progress.usage, before.usage);
  const state = { turns, usage, toolsUsed, elapsedMs, agent: agent.name };
  for (const policy of policies) {
    const reason = reasonOf(policy, state);
    if (reason !== undefined) return { status: "stopped", content: text, reason };
  }
  return undefined;
};

/** A policy that throws stops the run. */
const reasonOf = (policy: StopPolicy, state: RunState): string | undefined => {
  try {
    return policy(state);
  } catch (error) {
    return `A stop policy broke: ${error instanceof Error ? error.message : String(error)}`;
  }
};
