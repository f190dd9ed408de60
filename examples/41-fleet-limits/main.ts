import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Haft, tool } from "haft";
import { fleet } from "haft/fleet";
//#region limits
import { breaker, limit } from "haft/layers";
//#endregion
import { startPostgres } from "../../test/system/kit/start-postgres.ts";

process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
await using server = await startPostgres();
const url = await server.createDatabase("fleet");

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

await desk.close();
console.log("A call was counted for all processes over one ledger.");
