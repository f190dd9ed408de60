// A refund that is paid once per order, although its process is killed after the payment.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = process.env.SHOP ?? mkdtempSync(join(tmpdir(), "haft-shop-"));
process.chdir(folder);

/** Simulates a payment provider outside of this process. */
const bank = {
  pay: async (order: string) => {
    appendFileSync("bank.txt", `${order}\n`);
    return { receipt: `receipt of ${order}` };
  },
  payments: () => (existsSync("bank.txt") ? readFileSync("bank.txt", "utf8").trim().split("\n") : []),
};
const isVictim = process.argv.includes("crash");
const crashIfVictim = () => {
  if (isVictim) process.kill(process.pid, "SIGKILL");
};

//#region tool
import { Haft, tool } from "haft";

const refund = tool({
  name: "refund",
  description: "Refunds an order.",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  key: ({ order }) => order, // at most one effect per order
  run: async ({ order }) => {
    const receipt = await bank.pay(order);
    crashIfVictim();
    return receipt;
  },
});
//#endregion

const open = () =>
  Haft.open({
    tools: [refund],
    ledger: "sqlite:./haft.db",
    principal: { agent: "clerk", tenant: "shop", allow: ["*"] },
  });

if (isVictim) {
  const haft = await open();
  await haft.call("refund", { order: "8" });
}

//#region twice
const haft = await open();
const first = await haft.call("refund", { order: "7" });
const again = await haft.as({ agent: "other", tenant: "shop", allow: ["*"] }).call("refund", { order: "7" });
assert.deepEqual(again, first); // the recorded result: nothing ran
assert.deepEqual(bank.payments(), ["7"]);
//#endregion

// Another process refunds order 8 and is killed right after the payment.
const { signal } = spawnSync(process.execPath, [import.meta.filename, "crash"], {
  env: { ...process.env, SHOP: folder },
});
assert.equal(signal, "SIGKILL");

//#region unknown
const error = await haft.call("refund", { order: "8" }).catch((thrown) => thrown);
assert.equal(error.code, "outcome_unknown"); // it may have been paid, so it is not paid again
//#endregion

//#region settle
const [unknown] = await haft.log({ ending: "unknown" });
await haft.settle(unknown!.entryId, {
  tookEffect: true,
  result: { receipt: "receipt of 8" },
  by: "grace",
  reason: "in the bank's list of payments",
});
assert.deepEqual(await haft.call("refund", { order: "8" }), { receipt: "receipt of 8" });
assert.deepEqual(bank.payments(), ["7", "8"]);
//#endregion
await haft.close();

//#region reconcile
const findPayment = async ({ order }: { readonly order: string }) =>
  bank.payments().includes(order)
    ? { tookEffect: true as const, output: { receipt: `receipt of ${order}` } }
    : { tookEffect: false as const };
//#endregion

const careful = tool({
  name: "refund",
  description: "Refunds an order.",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  key: { of: ({ order }) => order, scope: "tenant", retention: "90 days" },
  reconcile: findPayment,
  run: ({ order }) => bank.pay(order),
});
assert.equal(careful.key?.scope, "tenant");
process.chdir(tmpdir());
rmSync(folder, { recursive: true, force: true });
console.log("each order was refunded once");
