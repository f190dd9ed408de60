import type { Agent } from "../words/agent.ts";
import type { Reply } from "../words/reply.ts";

/** Where a turn leads. */
export interface Follow {
  readonly final?: unknown;
  readonly agent?: Agent;
}

/** What the first reply that ends the turn asks for, in the order of the calls. */
export const follow = (targets: readonly Agent[], replies: readonly Reply[]): Follow => {
  for (const { flow, value } of replies) {
    if (flow.kind === "final") return { final: value ?? null };
    const next = flow.kind === "handoff" ? targetOf(targets, flow.agent) : undefined;
    if (next !== undefined) return { agent: next };
  }
  return {};
};

/** A handoff to nobody, or to one that policy keeps away, is no handoff: the model is told, and goes on. */
export const correct = (agent: string, targets: readonly Agent[], reply: Reply): Reply => {
  const { flow, value: _, ...rest } = reply;
  if (flow.kind !== "handoff" || targetOf(targets, flow.agent) !== undefined) return reply;
  const known = targets.map(({ name }) => `"${name}"`).join(", ");
  const hint = known === "" ? "It may hand over to nobody." : `It may hand over to ${known}.`;
  const text = `Error: "${agent}" cannot hand over to "${flow.agent}". ${hint}`;
  return { ...rest, flow: { kind: "continue" }, ok: false, text };
};

const targetOf = (targets: readonly Agent[], wanted: string): Agent | undefined =>
  targets.find(({ name }) => name === wanted);
