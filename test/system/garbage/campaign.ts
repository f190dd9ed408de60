// allow-sleep in this file: the campaign asks a neighbor again and again, and reports how long it waited
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import { openSession } from "../../../src/mcp/client/open-session.ts";
import type { McpSession } from "../../../src/types/mcp.ts";
import { buildServer } from "./build-server.ts";
import { type Expectation, expectations, type Mode } from "./expectations.ts";
import { playRound, type RoundOutcome, services } from "./play-round.ts";
import { survivors } from "./processes.ts";

export interface ModeFindings {
  readonly mode: Mode;
  readonly rounds: number;
  readonly endings: Readonly<Record<string, number>>;
  /** Undefined when no step had a deadline. */
  readonly overMs: number | undefined;
  /** Undefined when nothing failed. */
  readonly toldMs: number | undefined;
  readonly lagMs: number;
  readonly broken: readonly string[];
}

export interface Findings {
  readonly seed: number;
  readonly modes: readonly ModeFindings[];
  /** Processes that outlived their connection. */
  readonly left: readonly string[];
  readonly neighbor: { readonly calls: number; readonly failed: number; readonly slowestMs: number };
}

/** Calls a healthy server next to the misbehaving ones all the time. */
const askNeighbor = (session: McpSession) => {
  const seen = { calls: 0, failed: 0, slowestMs: 0 };
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const start = performance.now();
      const text = `neighbor-${seen.calls++}`;
      const asked = session.request({
        method: "tools/call",
        params: { name: "echo", arguments: { text } },
        timeoutMs: 60_000,
      });
      const right = await asked.then((result) => JSON.stringify(result).includes(text)).catch(() => false);
      if (!right) seen.failed++;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - start);
      await pause(10);
    }
  })();
  return {
    seen,
    stop: async () => {
      isOver = true;
      await asking;
    },
  };
};

const count = (outcomes: readonly RoundOutcome[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const ending of outcomes.flatMap(({ endings }) => endings)) counts[ending] = (counts[ending] ?? 0) + 1;
  return counts;
};

const worst = (times: readonly number[]): number | undefined => {
  const most = Math.max(...times);
  return Number.isFinite(most) ? most : undefined;
};

/** Runs every mode several times, some concurrently, next to a healthy server. */
export const campaign = async (rounds: number, seed: number, only?: readonly Mode[]): Promise<Findings> => {
  const random = randomStream(seed, "garbage");
  const home = mkdtempSync(join(tmpdir(), "haft-garbage-"));
  // Another campaign may run on the same machine; its processes must not be counted or killed.
  const own = `mark-${process.pid}-${randomUUID()}`;
  const modes: ModeFindings[] = [];
  const closing: Promise<readonly string[]>[] = [];
  const left: string[] = [];
  let neighbor: ReturnType<typeof askNeighbor> | undefined;
  let good: McpSession | undefined;
  try {
    const server = await buildServer(home);
    good = await openSession({ id: "good", command: process.execPath, args: [server, "good"] }, services);
    neighbor = askNeighbor(good);
    for (const [mode, expected] of Object.entries(expectations) as [Mode, Expectation][]) {
      if (only !== undefined && !only.includes(mode)) continue;
      const lag = monitorEventLoopDelay({ resolution: 5 });
      const outcomes: RoundOutcome[] = [];
      const calls = expected.lasts ? 5 : 1;
      let left = Math.ceil(rounds / calls);
      const play = async () => {
        while (left-- > 0) {
          const era = random() < 0.5 ? "legacy" : "modern";
          const mark = `${own}-${mode}-${left}`;
          outcomes.push(
            await playRound(
              { mode, era, server, mark, calls, cancelMs: Math.round(20 + random() * 80) },
              expected,
            ),
          );
        }
      };
      lag.enable();
      await Promise.all([play(), play(), play(), play()]);
      lag.disable();
      closing.push(...outcomes.map(({ closed }) => closed));
      modes.push({
        mode,
        rounds: outcomes.length * calls,
        endings: count(outcomes),
        overMs: worst(outcomes.map(({ overMs }) => overMs)),
        toldMs: worst(outcomes.map(({ toldMs }) => toldMs)),
        lagMs: lag.max / 1e6,
        broken: outcomes.flatMap(({ broken }) => broken),
      });
    }
    for (const wrong of await Promise.all(closing)) left.push(...wrong);
  } finally {
    left.push(...(await survivors(own)));
    await neighbor?.stop();
    await good?.close();
    rmSync(home, { recursive: true, force: true });
  }
  return { seed, modes, left, neighbor: neighbor?.seen ?? { calls: 0, failed: 0, slowestMs: 0 } };
};
