import type { Input } from "effect/Duration";
import { readCount, readMillis } from "../pipeline/layers/read-option.ts";
import type { ToolInvocation } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Usage } from "../types/model.ts";
import { type Price, toCostFunction } from "./cost.ts";

/** State of a run after a turn. */
export interface RunState {
  readonly turns: number;
  readonly usage: Usage;
  readonly toolsUsed: readonly ToolInvocation[];
  readonly elapsedMs: number;
  /** The current agent. */
  readonly agent: string;
}

/** Returns why the run stops, or undefined to continue. */
export interface StopPolicy {
  (state: RunState): string | undefined;
  /** Time limit of the run, also enforced inside a turn. */
  readonly withinMs?: number;
}

/** Stops a run after `count` turns. Runs without this policy stop after 10. */
export const maxTurns = (count: number): StopPolicy => {
  const most = readCount("maxTurns", count, 1);
  return ({ turns }) =>
    turns >= most ? `The run took its ${most} ${most === 1 ? "turn" : "turns"}.` : undefined;
};

/** Stops after a successful call of one of these tools. */
export const toolCalled = (names: string | readonly string[]): StopPolicy => {
  const list = typeof names === "string" ? [names] : names;
  const wanted = new Set(Array.isArray(list) ? list : []);
  if (wanted.size === 0 || ![...wanted].every((name) => typeof name === "string" && name !== "")) {
    throw invalidConfigError("toolCalled requires the name of a tool or a list of non-empty names.");
  }
  return ({ toolsUsed }) => {
    const call = toolsUsed.find(({ name, ok }) => ok && wanted.has(name));
    return call && `The tool "${call.name}" was called.`;
  };
};

/** Limits input and output tokens together. Checked after each turn, so the last turn may exceed it. */
export const tokenBudget = (tokens: number): StopPolicy => {
  const most = readCount("tokenBudget", tokens, 1);
  return ({ usage }) => {
    const used = usage.inputTokens + usage.outputTokens;
    return !(used < most) ? `The run used ${used} of its ${most} tokens.` : undefined;
  };
};

/** Limits the duration of a run. A running turn is interrupted. */
export const timeBudget = (duration: Input): StopPolicy => {
  const withinMs = readMillis("timeBudget", duration);
  if (!Number.isFinite(withinMs))
    throw invalidConfigError("timeBudget requires a finite duration; omit it for no limit.");
  const policy = ({ elapsedMs }: RunState): string | undefined =>
    elapsedMs >= withinMs ? `The run took ${elapsedMs} of its ${withinMs} ms.` : undefined;
  return Object.assign(policy, { withinMs });
};

/** Limits the cost of a run. An unknown cost stops the run. */
export const costBudget = (amount: number, price: Price): StopPolicy => {
  if (!(Number.isFinite(amount) && amount > 0)) {
    throw invalidConfigError("costBudget requires an amount above 0, in the currency of the price.");
  }
  const costOf = toCostFunction(price);
  return ({ usage }) => {
    const cost = costOf(usage);
    if (cost === undefined)
      return "The cost of the run is unknown: its price function did not return a number of at least 0.";
    return cost >= amount ? `The run cost ${rounded(cost)} of its ${amount}.` : undefined;
  };
};

/** Combines policies; the first with a reason and the shortest time limit apply. */
export const anyOf = (...policies: readonly StopPolicy[]): StopPolicy => {
  for (const [index, policy] of policies.entries()) {
    if (typeof policy === "function") continue;
    throw invalidConfigError(
      `anyOf requires stop policies, such as maxTurns(10); number ${index + 1} is not a stop policy.`,
    );
  }
  const ask = (state: RunState): string | undefined => {
    for (const policy of policies) {
      const reason = policy(state);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
  const limits = policies.flatMap(({ withinMs }) => (withinMs === undefined ? [] : [withinMs]));
  return limits.length === 0 ? ask : Object.assign(ask, { withinMs: Math.min(...limits) });
};

const rounded = (cost: number): number => Number(cost.toPrecision(6));

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
