import { type RandomSource, randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";

/**
 * All except `look` are not idempotent. `refund` needs approval; `order` makes a nested `charge`, and
 * `cancel` a nested `refund`, so that it is pending during its code.
 */
export type ToolName = "charge" | "look" | "refund" | "order" | "cancel";

export interface ScriptedCall {
  readonly tool: ToolName;
  /** Unique in a history: identifies effects. */
  readonly mark: string;
  /** The tool's code fails after its effect. */
  readonly fails: boolean;
}

/** The calls of each turn of one run; after the last turn its model finishes. */
export interface ScriptedRun {
  readonly name: string;
  /** The runtime that starts it. */
  readonly actor: string;
  readonly turns: readonly (readonly ScriptedCall[])[];
}

export interface Scenario {
  readonly actors: readonly string[];
  readonly runs: readonly ScriptedRun[];
}

const pickOf = <Item>(items: readonly Item[], random: RandomSource): Item =>
  items[Math.floor(random() * items.length)]!;

const tools: readonly ToolName[] = ["charge", "charge", "charge", "look", "refund", "order", "cancel"];

/** Two or three runtimes, one or two runs of two turns, one or two calls each. */
export const randomScenario = (seed: number): Scenario => {
  const random = randomStream(seed, "scenario");
  const actors = ["A", "B", "C"].slice(0, random() < 0.6 ? 2 : 3);
  const runs = ["r1", "r2"].slice(0, random() < 0.5 ? 1 : 2).map((name, index) => ({
    name,
    actor: actors[random() < 0.7 ? index : 0]!,
    turns: [0, 1].map((turn) =>
      Array.from({ length: random() < 0.5 ? 1 : 2 }, (_, call) => ({
        tool: pickOf(tools, random),
        mark: `${name}.${turn}.${call}`,
        fails: random() < 0.1,
      })),
    ),
  }));
  return { actors, runs };
};

const charge = (mark: string): ScriptedCall => ({ tool: "charge", mark, fails: false });

/** Two runtimes, each with a run of two non-idempotent calls: small enough for every order of their steps. */
export const smallScenario = (tool: ToolName = "charge"): Scenario => ({
  actors: ["A", "B"],
  runs: [
    { name: "r1", actor: "A", turns: [[{ ...charge("r1.0.0"), tool }, charge("r1.0.1")]] },
    { name: "r2", actor: "B", turns: [[charge("r2.0.0"), charge("r2.0.1")]] },
  ],
});
