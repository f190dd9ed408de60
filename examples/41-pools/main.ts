import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Haft, tool } from "haft";
import { fleet, openPool, openWorker, remote } from "haft/fleet";
import { breaker, limit } from "haft/layers";
import { startPostgres } from "../../test/system/kit/start-postgres.ts";

process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
await using server = await startPostgres();
const url = await server.createDatabase("fleet");

//#region definition
const definition = {
  name: "render",
  description: "Draws a picture of what is described",
  input: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  annotations: { idempotent: true },
} as const;
//#endregion

//#region worker
const there = await Haft.open({ ledger: url });
const pool = await openPool(there, {
  pool: "gpu",
  tools: [tool({ ...definition, run: ({ what }) => `a picture of ${what}` })],
  concurrency: 2,
});
//#endregion

//#region caller
const here = await Haft.open({
  ledger: url,
  fleet: fleet(),
  tools: [tool({ ...definition, implementation: remote("gpu") })],
  principal: { agent: "painter", allow: ["render"] },
});
const picture = await here.call("render", { what: "a fjord" });
//#endregion
assert.equal(picture, "a picture of a fjord");
const [entry, ...others] = await here.log();
assert.equal(others.length, 0);
assert.match(entry?.notes?.join() ?? "", new RegExp(pool.name));

//#region limits
const crm = tool({
  name: "find_customer",
  description: "Finds a customer",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  annotations: { readOnly: true },
  run: ({ name }) => ({ name, since: 2019 }),
}).layer(
  limit({ scope: "fleet", name: "crm", rate: "50 per second", concurrency: 10 }),
  breaker({ scope: "fleet", name: "crm" }),
);
const desk = await Haft.open({
  tools: [crm],
  ledger: url,
  fleet: fleet(),
  principal: { agent: "desk", allow: ["find_customer"] },
});
//#endregion
assert.deepEqual(await desk.call("find_customer", { name: "Ada" }), { name: "Ada", since: 2019 });

await pool.close();

//#region both
const gpu = await Haft.open({
  ledger: url,
  fleet: fleet(),
  tools: [tool({ ...definition, run: ({ what }) => `a drawing of ${what}` })],
});
const worker = await openWorker(gpu, { agents: [], pools: ["gpu"], poolConcurrency: 2 });
//#endregion
assert.equal(await here.call("render", { what: "a fjord" }), "a drawing of a fjord");

await worker.drain();
await Promise.all([here, desk, there, gpu].map((haft) => haft.close()));
console.log("A tool was called where it is, and a limit was counted for everybody.");
