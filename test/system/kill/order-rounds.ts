import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { openLedger } from "../../../src/exports/ledger.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { bundleProgram } from "../kit/bundle-program.ts";

const workers = 3;

interface Answer {
  readonly order: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly value?: unknown;
}

interface Worker {
  /** Undefined when the process died during the call. */
  readonly pay: (order: string, fate?: string) => Promise<Answer | undefined>;
  readonly isDead: () => boolean;
  readonly end: () => Promise<void>;
}

const startWorker = (program: string, place: string, folder: string, name: string): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, ["--no-warnings", program, place, folder, name], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const waiting: ((answer: Answer | undefined) => void)[] = [];
    let isDead = false;
    const ended = new Promise<void>((done) => {
      child.once("exit", () => {
        isDead = true;
        for (const answer of waiting.splice(0)) answer(undefined);
        reject(new Error("The worker ended before it was ready."));
        done();
      });
    });
    const worker: Worker = {
      isDead: () => isDead,
      pay: (order, fate = "finish") =>
        new Promise((answer) => {
          if (isDead) return answer(undefined);
          waiting.push(answer);
          child.stdin?.write(`${order} ${fate}\n`);
        }),
      end: async () => {
        child.stdin?.end();
        await ended;
      },
    };
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (line === "ready") resolve(worker);
      else waiting.shift()?.(JSON.parse(line) as Answer);
    });
  });

export interface OrderFindings {
  readonly orders: number;
  readonly killed: number;
  readonly settled: number;
  readonly replayed: number;
  readonly paidTwice: number;
}

/**
 * Three processes race to pay the same order. In some rounds the paying process is killed after the effect,
 * in others before it. Then all call again, an operator settles the call, and all call once more.
 */
export const orderRounds = async (place: string, rounds: number): Promise<OrderFindings> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-orders-"));
  const program = await bundleProgram(new URL("order-worker.ts", import.meta.url), folder);
  const ledger = await openLedger(place);
  const paid = (order: string): number =>
    existsSync(join(folder, "paid"))
      ? readFileSync(join(folder, "paid"), "utf8")
          .split("\n")
          .filter((line) => line === order).length
      : 0;
  const start = (number: number) => startWorker(program, place, folder, `worker-${number}`);
  const team = await Promise.all(Array.from({ length: workers }, (_, number) => start(number)));
  let [killed, settled, replayed, paidTwice] = [0, 0, 0, 0];
  try {
    for (let round = 0; round < rounds; round++) {
      const order = `order-${round}`;
      const fate = ["finish", "die-after", "die-after", "die-before"][round % 4]!;
      await Promise.all(team.map((worker) => worker.pay(order, fate)));
      for (const [number, worker] of team.entries()) {
        if (!worker.isDead()) continue;
        killed += 1;
        team[number] = await start(number);
      }
      const tookEffect = paid(order) > 0;
      if (fate !== "finish") {
        // Detecting a dead process may take a moment; until then the call counts as running.
        const answers = await waitFor(async () => {
          const each = await Promise.all(team.map((worker) => worker.pay(order)));
          expect(each.map((answer) => answer?.code)).not.toContain("still_running");
          return each;
        });
        expect(answers.map((answer) => answer?.code)).toEqual(team.map(() => "outcome_unknown"));
        const [unknown] = (await ledger.entries({ ending: "unknown" })).filter(({ input }) =>
          input.includes(`"${order}"`),
        );
        const result = tookEffect ? { result: { receipt: "from the bank" } } : {};
        const came = await ledger.settle(unknown!.entryId, { tookEffect, by: "operator", ...result });
        expect(came.kind).toBe("done");
        settled += 1;
      }
      // Without an effect, one of them pays now, and the others may find the call running.
      await Promise.all(team.map((worker) => worker.pay(order)));
      const receipts = await Promise.all(team.map((worker) => worker.pay(order)));
      for (const answer of receipts) {
        expect(answer).toMatchObject({ ok: true, value: { receipt: expect.any(String) } });
        replayed += 1;
      }
      if (paid(order) !== 1) paidTwice += 1;
    }
    for (const worker of team) await worker.end();
    expect(await ledger.verify()).toMatchObject({ ok: true });
  } finally {
    await Promise.all(team.map((worker) => worker.end()));
    await ledger.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return { orders: rounds, killed, settled, replayed, paidTwice };
};
