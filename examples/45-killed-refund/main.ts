// An agent refunds an order, its process is killed right after the payment, and the order is not refunded twice.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = process.env.SHOP ?? mkdtempSync(join(tmpdir(), "haft-shop-"));
process.chdir(folder);

/** Simulates a payment provider: a service outside of this process. */
const bank = {
  refund: (order: string) => {
    appendFileSync("bank.txt", `${order}\n`);
    if (process.argv.includes("crash")) process.kill(process.pid, "SIGKILL");
    return `receipt of ${order}`;
  },
  refunds: () => (existsSync("bank.txt") ? readFileSync("bank.txt", "utf8").trim().split("\n") : []),
};

//#region agent
import { agent, Haft, tool } from "haft";

const refund = tool({
  name: "refund",
  description: "Refunds an order.",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  key: ({ order }) => order, // at most one refund per order, in every process and conversation
  reconcile: ({ order }) =>
    bank.refunds().includes(order) // asked when a crash left the result unknown
      ? { tookEffect: true, output: `receipt of ${order}` }
      : { tookEffect: false },
  run: ({ order }) => bank.refund(order),
});
const clerk = agent({ name: "clerk", instructions: "Refund orders.", model: "offline", tools: ["refund"] });

const haft = await Haft.open({
  tools: [refund],
  ledger: "sqlite:./haft.db",
  principal: { agent: "clerk", allow: ["refund"] },
});
const answer = await haft.run(clerk, 'Refund order "7"');
//#endregion
await haft.close();

if (process.env.SHOP === undefined) {
  // One process is killed right after it refunded the order. A second one gets the same request.
  const environment = { ...process.env, SHOP: mkdtempSync(join(tmpdir(), "haft-shop-")) };
  const start = (...flags: readonly string[]) =>
    spawnSync(process.execPath, [import.meta.filename, ...flags], { env: environment, encoding: "utf8" });
  assert.equal(start("crash").signal, "SIGKILL");
  const second = start();
  assert.equal(second.status, 0, second.stderr);
  assert.match(second.stdout, /receipt of 7/);
  assert.deepEqual(readFileSync(join(environment.SHOP, "bank.txt"), "utf8"), "7\n"); // one refund
  for (const each of [folder, environment.SHOP]) rmSync(each, { recursive: true, force: true });
}
console.log(answer.content);
