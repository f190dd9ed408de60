// An analyst that runs a program over three tools: the model receives one answer instead of every row.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
//#region tools
import { agent, Haft, tool } from "haft";
import { codeMode } from "haft/sandbox";
import { calls, says, scriptedModel } from "haft/testing";

const orders = tool({
  name: "list_orders",
  description: "The orders of a month",
  input: {
    type: "object",
    properties: { month: { type: "integer", minimum: 1, maximum: 12 } },
    required: ["month"],
  } as const,
  output: {
    type: "array",
    items: {
      type: "object",
      properties: { id: { type: "integer" }, customer: { type: "string" }, cents: { type: "integer" } },
      required: ["id", "customer", "cents"],
    },
  } as const,
  annotations: { readOnly: true },
  run: ({ month }) =>
    Array.from({ length: 40 }, (_, index) => ({
      id: month * 100 + index,
      customer: ["ada", "bob", "eve"][index % 3]!,
      cents: 1_000 + ((index * 7_919) % 5_000),
    })),
});

const isRefunded = tool({
  name: "is_refunded",
  description: "Whether an order was paid back",
  input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const,
  output: { type: "boolean" },
  annotations: { readOnly: true },
  run: ({ id }) => id % 10 === 0,
});

const sent: string[] = [];
const sendReport = tool({
  name: "send_report",
  description: "Sends a report to the board",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
  requiresApproval: true,
  run: ({ text }) => {
    sent.push(text);
    return { sent: true };
  },
});
//#endregion

//#region program
// A program of the model: 124 calls, the last of which needs approval.
const source = `
const months = await Promise.all([1, 2, 3].map((month) => tools.list_orders({ month })));
const all = months.flat();
const refunded = await Promise.all(all.map(({ id }) => tools.is_refunded({ id })));
const totals: Record<string, number> = {};
all.forEach(({ customer, cents }, index) => {
  if (!refunded[index]) totals[customer] = (totals[customer] ?? 0) + cents;
});
const [best] = Object.entries(totals).sort((a, b) => b[1] - a[1]);
await tools.send_report({ text: \`Best customer: \${best[0]}, \${best[1]} cents\` });
return best;
`;
//#endregion

const folder = mkdtempSync(join(tmpdir(), "haft-analyst-"));
//#region run
const open = () =>
  Haft.open({
    tools: [
      orders,
      isRefunded,
      sendReport,
      codeMode({ tools: [orders, isRefunded, sendReport], limits: { calls: 200 } }),
    ],
    ledger: `sqlite:${join(folder, "haft.db")}`,
    principal: { agent: "analyst", allow: ["*"] },
  });

const analyst = agent({
  name: "analyst",
  instructions: "Find out what you are asked by running programs.",
  tools: ["run-code"],
  model: scriptedModel([calls(["run-code", { source }]), says("The report is out.")]),
});

const first = await open();
const waiting = await first.run(analyst, "Who was our best customer this quarter? Tell the board.");
const question = waiting.pending![0]!;
await first.close();
//#endregion
assert.equal(waiting.status, "pending");
assert.equal(question.tool, "send_report");
assert.deepEqual(sent, []);

//#region resume
// In another process after the approval: the 123 earlier calls are not repeated.
const second = await open();
await second.resume(question.id, { kind: "allow" });
const answer = await second.run(analyst, undefined, { resume: waiting.runId });
//#endregion
assert.equal(answer.content, "The report is out.");
assert.deepEqual(sent, ["Best customer: eve, 127680 cents"]);
const entries = await second.log({ runId: waiting.runId });
const program = entries.find((entry) => entry.tool === "run-code")!;
assert.equal(entries.filter(({ parentId }) => parentId === program.entryId).length, 124);
await second.close();
rmSync(folder, { recursive: true, force: true });
