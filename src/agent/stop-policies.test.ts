import { describe, expect, it } from "vitest";
import type { ToolInvocation } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import {
  anyOf,
  costBudget,
  maxTurns,
  type RunState,
  type StopPolicy,
  timeBudget,
  tokenBudget,
  toolCalled,
} from "./stop-policies.ts";

const state = (change: Partial<RunState> = {}): RunState => ({
  turns: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  toolsUsed: [],
  elapsedMs: 0,
  agent: "tester",
  ...change,
});
const used = (inputTokens: number, outputTokens: number) => state({ usage: { inputTokens, outputTokens } });
const invoked = (name: string, ok = true): ToolInvocation => ({
  name,
  callId: "1",
  agent: "a",
  arguments: {},
  ok,
});

const price = { inputPerMillion: 2, outputPerMillion: 10 };

describe("built-in stop policy", () => {
  it.each<[string, StopPolicy, RunState, RunState, string]>([
    ["turns", maxTurns(3), state({ turns: 2 }), state({ turns: 3 }), "The run took its 3 turns."],
    ["one turn", maxTurns(1), state(), state({ turns: 1 }), "The run took its 1 turn."],
    ["tokens", tokenBudget(100), used(60, 39), used(60, 40), "The run used 100 of its 100 tokens."],
    [
      "time",
      timeBudget("2 seconds"),
      state({ elapsedMs: 1_999 }),
      state({ elapsedMs: 2_000 }),
      "The run took 2000 of its 2000 ms.",
    ],
    [
      "cost",
      costBudget(0.5, price),
      used(100_000, 20_000),
      used(100_000, 30_000),
      "The run cost 0.5 of its 0.5.",
    ],
    [
      "cost by a function",
      costBudget(7, ({ outputTokens }) => outputTokens),
      used(1_000, 6),
      used(0, 8),
      "The run cost 8 of its 7.",
    ],
    [
      "a tool",
      toolCalled("submit"),
      state({ toolsUsed: [invoked("search"), invoked("submit", false)] }),
      state({ toolsUsed: [invoked("submit", false), invoked("submit")] }),
      'The tool "submit" was called.',
    ],
    [
      "one of several tools",
      toolCalled(["submit", "cancel"]),
      state({ toolsUsed: [invoked("search")] }),
      state({ toolsUsed: [invoked("search"), invoked("cancel")] }),
      'The tool "cancel" was called.',
    ],
  ])("stops the run at its limit: %s", (_, policy, before, after, reason) => {
    expect(policy(before)).toBeUndefined();
    expect(policy(after)).toBe(reason);
  });
});

it("stops the run when the cost cannot be computed", () => {
  expect(costBudget(1, () => Number.NaN)(state())).toContain("The cost of the run is unknown");
  expect(costBudget(1, () => Number.POSITIVE_INFINITY)(state())).toContain("The cost of the run is unknown");
  expect(costBudget(1, () => "0" as never)(state())).toContain("The cost of the run is unknown");
  const broken = () => {
    throw new Error("no price list");
  };
  expect(costBudget(1, broken)(state())).toContain("The cost of the run is unknown");
});

it("returns the first reason and the shortest time of several policies", () => {
  const policy = anyOf(maxTurns(5), timeBudget(9_000), anyOf(timeBudget("3 seconds"), tokenBudget(10)));
  expect(policy(state({ turns: 4, elapsedMs: 2_999 }))).toBeUndefined();
  expect(policy(state({ turns: 5, elapsedMs: 3_000 }))).toBe("The run took its 5 turns.");
  expect(policy(used(9, 1))).toBe("The run used 10 of its 10 tokens.");
  expect(policy.withinMs).toBe(3_000);
  expect(anyOf(maxTurns(1)).withinMs).toBeUndefined();
});

it.each<[string, () => unknown]>([
  ["zero turns", () => maxTurns(0)],
  ["half a turn", () => maxTurns(1.5)],
  ["turns as text", () => maxTurns("3" as never)],
  ["zero tokens", () => tokenBudget(0)],
  ["an infinite number of tokens", () => tokenBudget(Number.POSITIVE_INFINITY)],
  ["zero time", () => timeBudget(0)],
  ["text that is not a duration", () => timeBudget("soon" as never)],
  ["an infinite time", () => timeBudget("Infinity")],
  ["a zero amount", () => costBudget(0, price)],
  ["an amount that is not a number", () => costBudget(Number.NaN, price)],
  ["a price without its output part", () => costBudget(1, { inputPerMillion: 1 } as never)],
  ["a negative price", () => costBudget(1, { inputPerMillion: -1, outputPerMillion: 1 })],
  ["an infinite price", () => costBudget(1, { ...price, inputPerMillion: Number.POSITIVE_INFINITY })],
  ["a missing price", () => costBudget(1, undefined as never)],
  ["an empty tool name", () => toolCalled("")],
  ["an empty list of tools", () => toolCalled([])],
  ["a list with an empty tool name", () => toolCalled(["submit", ""])],
  ["a tool name that is not a string", () => toolCalled([7 as never])],
  ["tool names that are not a list", () => toolCalled(5 as never)],
  ["a policy that is not a function", () => anyOf(maxTurns(1), 5 as never)],
])("refuses %s", (_, make) => {
  expect(make).toThrow(ConfigurationError);
});

it("names the position of an invalid policy", () => {
  expect(() => anyOf(maxTurns(1), 5 as never)).toThrow("number 2 is not a stop policy");
});
