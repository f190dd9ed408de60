import type { RunEnding, RunProgress } from "./progress.ts";
import type { RunState, StopPolicy } from "./stop.ts";

/** How a run ends after a turn, where one of its policies has a reason. */
export const stopFor = (
  policies: readonly StopPolicy[],
  progress: RunProgress,
  elapsedMs: number,
): RunEnding | undefined => {
  const { turns, usage, toolsUsed, agent, text } = progress;
  const state = { turns, usage, toolsUsed, elapsedMs, agent: agent.name };
  for (const policy of policies) {
    const reason = reasonOf(policy, state);
    if (reason !== undefined) return { status: "stopped", content: text, reason };
  }
  return undefined;
};

/** A policy that cannot say whether to go on does not let the run go on. */
const reasonOf = (policy: StopPolicy, state: RunState): string | undefined => {
  try {
    return policy(state);
  } catch (error) {
    return `A stop policy broke: ${error instanceof Error ? error.message : String(error)}`;
  }
};
