import type { AgentEvent } from "../words/agent.ts";
import type { LostPart } from "../words/model.ts";
import type { RunProgress } from "./progress.ts";

/** Every question repeats the conversation, so a part is lost again at every turn, and told of once. */
export const tellLosses = (
  tell: ((event: AgentEvent) => void) | undefined,
  { losses, messages, agent }: RunProgress,
  model: string,
  lost: readonly LostPart[],
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
