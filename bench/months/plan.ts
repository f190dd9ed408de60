import { monthOf, startOfMonth } from "../../src/ledger/durable/months/month-tables.ts";

/** The generated ledger: number of calls, months up to the current one and chains. */
export interface FillPlan {
  readonly calls: number;
  readonly months: readonly number[];
  readonly chains: number;
  /** Hexadecimal. */
  readonly key: string;
  /** Folder for files that the server copies from. */
  readonly folder: string;
}

export const monthsUpTo = (now: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => monthOf(now) - count + 1 + i);

export const tools = 200;
export const agents = 20;
/** Calls per session. */
export const callsPerSession = 20;
export const callsPerRun = 10;

/** Nearly a third of all calls are of one tool; an agent uses a tenth of the tools. */
export const toolOf = (n: number): string =>
  n % 3 === 0
    ? "tool-0"
    : `tool-${((n % agents) + agents * (Math.floor(n / agents) % (tools / agents))) % tools}`;
export const agentOf = (n: number): string => `agent-${n % agents}`;
export const isFailed = (n: number): boolean => n % 33 === 0;

/** The time of the n-th call of a month: up to now in the newest month. */
export const timeOf = (month: number, n: number, count: number, now: number): number => {
  const from = startOfMonth(month);
  const to = Math.min(startOfMonth(month + 1), now) - 60_000;
  return Math.floor(from + ((to - from) * n) / count);
};
