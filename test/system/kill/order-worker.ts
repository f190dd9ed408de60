import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Haft, tool } from "../../../src/exports/index.ts";

/**
 * Pays orders read from standard input, one line each: the order, and when this process kills itself if it
 * pays. Replies with one line of JSON each.
 */
const [place = "", folder = "", name = ""] = process.argv.slice(2);
const fates = new Map<string, string>();

const pay = tool({
  name: "pay",
  description: "Pays an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const,
  key: ({ order }) => order,
  run: ({ order }) => {
    const fate = fates.get(order);
    if (fate === "die-before") process.kill(process.pid, "SIGKILL");
    appendFileSync(join(folder, "paid"), `${order}\n`);
    if (fate === "die-after") process.kill(process.pid, "SIGKILL");
    return { receipt: `of ${order}` };
  },
});

const haft = await Haft.open({
  tools: [pay],
  ledger: place,
  principal: { agent: name, tenant: "shop", allow: ["*"] },
});
process.stdout.write("ready\n");

let calls = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [order = "", fate = ""] = line.split(" ");
  fates.set(order, fate);
  // Each call is a conversation of its own.
  calls += 1;
  const caller = {
    agent: name,
    user: `${name}-${calls}`,
    session: `${name}-${calls}`,
    tenant: "shop",
    allow: ["*"],
  };
  const [reply] = await haft.as(caller).turn([{ id: `call-${calls}`, tool: "pay", input: { order } }]);
  process.stdout.write(
    `${JSON.stringify({ order, ok: reply?.ok, code: reply?.failure?.code, value: reply?.value })}\n`,
  );
}
await haft.close();
