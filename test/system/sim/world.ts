import { agent, type Haft, type Message, type Model, tool } from "../../../src/exports/index.ts";
import type { Agent } from "../../../src/types/agent.ts";
import type { ModelReply } from "../../../src/types/model.ts";
import type { AnyTool } from "../../../src/types/tool.ts";
import type { Scenario } from "./scenario.ts";
import type { Scheduler } from "./scheduler.ts";

export interface SeenEffect {
  readonly tool: string;
  readonly mark: string;
  readonly actor: string;
}

/** Records effects outside of every runtime and the store. */
export class Witness {
  readonly effects: SeenEffect[] = [];

  times(mark: string): number {
    return this.effects.filter((effect) => effect.mark === mark).length;
  }
}

export interface WorldOptions {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly witness: Witness;
}

/** The tools of a runtime, whose effects are recorded, and an agent with a scripted model. */
export interface RuntimeWorld {
  readonly tools: readonly AnyTool[];
  readonly agent: Agent;
  readonly model: Model;
}

const input = {
  type: "object",
  properties: { mark: { type: "string" }, fails: { type: "boolean" } },
  required: ["mark"],
} as const;

export const runtimeWorld = (
  actor: string,
  { scenario, scheduler, witness }: WorldOptions,
  haft: () => Haft,
): RuntimeWorld => {
  /** Ignores its signal, as code does after it has sent a request. */
  const takeEffect = async (name: string, mark: string, fails: boolean | undefined): Promise<unknown> => {
    await scheduler.point(actor, `${name} ${mark}: before its effect`);
    witness.effects.push({ tool: name, mark, actor });
    await scheduler.point(actor, `${name} ${mark}: after its effect`);
    if (fails === true) throw new Error(`${name} was declined`);
    return { done: mark };
  };
  const effective = (name: string, more: object = {}): AnyTool =>
    tool({
      name,
      description: `Takes effect: ${name}`,
      input,
      run: ({ mark, fails }) => takeEffect(name, mark, fails),
      ...more,
    });
  const nested = (name: string, inner: "charge" | "refund"): AnyTool =>
    tool({
      name,
      description: `Takes effect by a call of its own, ${inner}, and then by itself`,
      input,
      run: async ({ mark, fails }) => {
        await haft().call(inner, { mark: `${mark}.inner` });
        return takeEffect(name, mark, fails);
      },
    });
  const model = scriptModel(actor, scenario, scheduler);
  return {
    model,
    tools: [
      effective("charge"),
      effective("look", { annotations: { readOnly: true } }),
      effective("refund", { requiresApproval: true }),
      nested("order", "charge"),
      nested("cancel", "refund"),
    ],
    agent: agent({
      name: "clerk",
      instructions: "Do as the script says.",
      model,
      tools: ["*"],
    }),
  };
};

/** Deterministic: the same conversation gets the same reply from every runtime. */
const scriptModel = (actor: string, { runs }: Scenario, scheduler: Scheduler): Model => {
  const generate = async ({ messages }: { readonly messages: readonly Message[] }): Promise<ModelReply> => {
    const name = messages.find(({ role }) => role === "user")?.content ?? "";
    const turns = runs.find((run) => run.name === name)?.turns ?? [];
    const turn = messages.filter(({ role }) => role === "assistant").length;
    await scheduler.point(actor, `the model answers ${name}, turn ${turn + 1}`);
    const calls = (turns[turn] ?? []).map(({ tool: called, mark, fails }, index) => ({
      id: `${name}-${turn}-${index}`,
      tool: called,
      input: JSON.stringify({ mark, fails }),
      index,
    }));
    const isLast = calls.length === 0;
    const usage = { inputTokens: 1, outputTokens: 1 };
    return { text: isLast ? "done" : "", calls, usage, finish: isLast ? "stop" : "calls" };
  };
  return {
    id: "script",
    generate,
    stream: async function* (request) {
      yield { kind: "reply", reply: await generate(request) };
    },
  };
};
