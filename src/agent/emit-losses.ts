import type { AgentEvent } from "../types/agent.ts";
import type { OmittedPart } from "../types/model.ts";
import type { RunProgress } from "./run-progress.ts";

/** Every question repeats the conversation, so a part is lost again at every turn, and told of once. */
export const emitLosses = (
  tell: ((event: AgentEvent) => void) | undefined,
  { losses, messages, agent }: RunProgress,
  model: string,
  lost: readonly OmittedPart[],
): void => {
  // The instructions stand before the conversation, which does not have them.
  const before = messages[0]?.role === "system" ? 0 : 1;
  for (const each of lost) {
    const loss = Object.freeze({ ...each, message: each.message - before, model });
    const key = `${model} ${loss.message} ${loss.part}`;
    if (losses.has(key)) continue;
    losses.set(key, loss);
    tell?.({ kind: "loss", agent: agent.name, loss });
  }
};
