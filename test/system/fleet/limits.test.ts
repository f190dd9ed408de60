import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const file = fileURLToPath(new URL("./limited-process.ts", import.meta.url));
const key = randomBytes(32).toString("base64");

/** A call that started (1) or ended (-1), and its process. */
interface Step {
  readonly step: 1 | -1;
  readonly at: number;
  readonly child: ChildProcess;
}

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

/** Starts processes that call as fast as the limit allows, once all are ready. */
const openFleet = async (size: number, options: object, holdMs = 0) => {
  const url = await world.fresh();
  const steps: Step[] = [];
  let received: (() => void) | undefined;
  const start = async (): Promise<ChildProcess> => {
    const child = fork(file, [url, JSON.stringify(options), String(holdMs)], {
      env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", HAFT_LEDGER_KEY: key },
    });
    children.add(child);
    await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
    });
    child.on("message", (reported) => {
      steps.push({ ...(reported as Omit<Step, "child">), child });
      received?.();
    });
    return child;
  };
  const all = await Promise.all(Array.from({ length: size }, start));
  const startedAt = Date.now();
  for (const child of all) child.send("go");
  const until = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) {
      await new Promise<void>((resolve) => {
        received = resolve;
      });
    }
  };
  const starts = (child?: ChildProcess): readonly number[] =>
    steps.flatMap(({ step, at, child: by }) =>
      step === 1 && (child === undefined || by === child) ? [at] : [],
    );
  return { all, steps, starts, startedAt, until };
};

/** Maximum number of starts within one second. */
const mostInASecond = (starts: readonly number[]): number => {
  const sorted = starts.toSorted((one, other) => one - other);
  let most = 0;
  let first = 0;
  for (const [last, at] of sorted.entries()) {
    while (at - sorted[first]! >= 1000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
};

/** Maximum number of concurrent calls. Within one millisecond, ends count before starts. */
const mostAtOnce = (steps: readonly Step[]): number => {
  let [now, most] = [0, 0];
  for (const { step } of steps.toSorted((one, other) => one.at - other.at || one.step - other.step)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
};

describe("limit shared by several processes", () => {
  it("of 50 per second allows that rate and one burst over six processes, and uses 95 % of it in a soak", async () => {
    const { starts, startedAt, until } = await openFleet(6, { rate: "50 per second" });
    await until(() => starts().length >= 350);
    const sorted = starts().toSorted((one, other) => one - other);
    // The first burst was available before the first call.
    const steady = sorted.slice(50);
    const seconds = (steady.at(-1)! - steady[0]!) / 1000;
    const used = (steady.length - 1) / (50 * seconds);
    console.info(`most in a second ${mostInASecond(sorted)}, used ${(used * 100).toFixed(1)} %`);
    // A slow process may start late, but never early.
    const isEarly = (at: number, index: number): boolean => index >= 60 + (50 * (at - startedAt)) / 1000;
    expect(sorted.filter(isEarly)).toEqual([]);
    if (process.env.HAFT_SOAK !== undefined) expect(mostInASecond(sorted)).toBeLessThanOrEqual(60);
    // On a busy machine the processes may not use all their starts, so only the soak checks the rate.
    if (process.env.HAFT_SOAK !== undefined) expect(used).toBeGreaterThanOrEqual(0.95);
  });

  it("of four concurrent calls holds over three processes, and each of them gets turns", async () => {
    const { all, steps, starts, until } = await openFleet(3, { concurrency: 4 }, 200);
    await until(() => all.every((child) => starts(child).length >= 10));
    expect(mostAtOnce(steps)).toBeLessThanOrEqual(4);
    expect(mostAtOnce(steps)).toBeGreaterThanOrEqual(2);
  });

  it("recovers the places of a killed process", async () => {
    const { steps, until } = await openFleet(3, { concurrency: 2 }, 600_000);
    await until(() => steps.length === 2);
    // At least one of the three processes holds none.
    const holders = new Set(steps.map(({ child }) => child));
    for (const child of holders) child.kill("SIGKILL");
    await until(() => steps.length === 4);
    expect(steps.slice(2).some(({ child }) => holders.has(child))).toBe(false);
  });
});
