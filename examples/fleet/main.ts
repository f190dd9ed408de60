// PostgreSQL, three workers and a producer. One worker is killed during a call, one run needs approval, and
// in the end every effect has happened once.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { fleet } from "haft/fleet";
import { openLedger } from "haft/ledger";
import { startPostgres } from "../../test/system/kit/start-postgres.ts";
import { clerk, effects, tools, unluckyOrder } from "./shop.ts";

const orders = Array.from({ length: 24 }, (_, index) => index + 1);
const refunded = 12;
const longestMs = 40_000;

const since = performance.now();
const say = (text: string): void => {
  const seconds = ((performance.now() - since) / 1_000).toFixed(1).padStart(5);
  console.log(`${seconds} s  ${text}`);
};

const folder = mkdtempSync(join(tmpdir(), "haft-fleet-"));
const workers: ChildProcess[] = [];
const leaving: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
let left: Promise<void> | undefined;
const leave = (): Promise<void> => {
  left ??= (async () => {
    for (const each of leaving.reverse()) await each().catch(() => {});
  })();
  return left;
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    say("stopped: all started processes have ended");
    for (const each of workers) each.kill("SIGKILL");
    await leave();
    process.exit(130);
  });
}

const startWorker = async (): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL("./worker.ts", import.meta.url)));
  workers.push(child);
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`A worker ended with ${code}.`)));
  });
  return child;
};

const exitOf = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", resolve));

/** Polls until there is a result. */
const until = async <A>(what: string, look: () => A | undefined): Promise<A> => {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() - since > longestMs) throw new Error(`${what} within ${longestMs / 1_000} s`);
    await pause(20);
  }
};

const play = async (): Promise<void> => {
  const server = await startPostgres();
  leaving.push(() => server.stop());
  process.env.DATABASE_URL = await server.createDatabase("shop");
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
  process.env.SHOP_WORLD = join(folder, "world");
  say("PostgreSQL is running");

  const haft = await Haft.open({
    tools,
    ledger: process.env.DATABASE_URL,
    principal: { agent: "shop", tenant: "acme", allow: ["*"] },
    fleet: fleet(),
  });
  leaving.push(() => haft.close());
  // The first worker creates the tables, so that the others need not wait for each other.
  const first = await startWorker();
  const started = [first, ...(await Promise.all([startWorker(), startWorker()]))];
  leaving.push(async () => {
    for (const each of started) each.kill("SIGTERM");
    await Promise.all(started.map(exitOf));
  });
  say(`three workers process runs: ${started.map(({ pid }) => pid).join(", ")}`);

  const charging = await Promise.all(
    orders.map(async (order) => ({
      order,
      ...(await haft.submit(clerk, `charge ${order}`, { key: `charge ${order}` })),
    })),
  );
  const refund = await haft.submit(clerk, `refund ${refunded}`, { key: `refund ${refunded}` });
  const again = await haft.submit(clerk, "charge 1", { key: "charge 1" });
  assert.deepEqual(again, { runId: charging[0]!.runId, isNew: false });
  say(
    `${orders.length} orders to charge and one to refund are submitted; one order twice, with the same key and the same run`,
  );

  const unlucky = await until("An order is charged", () =>
    effects().find(({ order, what }) => order === unluckyOrder && what === "charge"),
  );
  const victim = started.find(({ pid }) => pid === unlucky.pid)!;
  victim.kill("SIGKILL");
  await exitOf(victim);
  say(`worker ${victim.pid} is killed while it charges order ${unluckyOrder}`);

  const waiting = await haft.wait(refund.runId);
  assert.equal(waiting.status, "pending");
  const [question] = waiting.pending;
  say(
    `the refund is pending approval and occupies no worker: ${question!.tool} ${JSON.stringify(question!.input)}`,
  );
  await haft.resume(question!.id, { kind: "allow" }, { by: "ada" });
  const answered = performance.now();
  assert.equal((await haft.wait(refund.runId, { untilEnded: true })).status, "done");
  say(`ada approves, and the refund runs ${Math.round(performance.now() - answered)} ms later`);

  const signal = AbortSignal.timeout(longestMs);
  const done = await Promise.all(
    charging.map(async ({ order, runId }) => ({ order, ...(await haft.wait(runId, { signal })) })),
  );
  say(`all ${done.length} orders are done by the two remaining workers`);

  const byWorker = Map.groupBy(effects(), ({ pid }) => pid);
  for (const { pid } of started) {
    const fate = pid === victim.pid ? "killed" : "working";
    console.log(`         worker ${pid}, ${fate}: ${byWorker.get(pid!)?.length ?? 0} effects`);
  }
  const lost = (await haft.log({ tool: "charge" })).filter(({ ending }) => ending === "unknown");
  assert.equal(lost.length, 1, "the interrupted call is recorded as unknown");
  say(
    `the charge of order ${unluckyOrder} is recorded as unknown; the clerk looked it up instead of charging again`,
  );

  for (const { order, status, content } of done) {
    assert.equal(status, "done", `order ${order}`);
    assert.equal(content, `charge ${order}: 1`);
  }
  for (const order of orders) {
    const happened = effects().filter((each) => each.what === "charge" && each.order === order);
    assert.equal(happened.length, 1, `order ${order} was charged ${happened.length} times`);
  }
  assert.equal(effects().filter(({ what }) => what === "refund").length, 1);
  say(`every effect happened exactly once: ${orders.length} charges and 1 refund`);

  const ledger = await openLedger(process.env.DATABASE_URL);
  const { ok, rows, heads } = await ledger.verify();
  await ledger.end();
  assert.equal(ok, true);
  say(`the ledger is verified: ${rows} rows in ${heads.length} chains`);
};

try {
  await play();
} finally {
  await leave();
}
