import type { AgentEvent } from "../types/agent.ts";
import type { OmittedPart } from "../types/model.ts";
import type { RunProgress } from "./run-progress.ts";

export const emitLosses = (
  tell: ((event: AgentEvent) => void) | undefined,
  { losses, messages, agent }: RunProgress,
  model: string,
  lost: readonly OmittedPart[],
): void => {
  // Without a system message, the request has one more message than the conversation.
  const before = messages[0]?.role === "system" ? 0 : 1;
  for (const each of lost) {
    const loss = Object.freeze({ ...each, message: each.message - before, model });
    const key = `${model} ${loss.message} ${loss.part}`;
    if (losses.has(key)) continue;
    losses.set(key, loss);
    tell?.({ kind: "loss", agent: agent.name, loss });
  }
};
