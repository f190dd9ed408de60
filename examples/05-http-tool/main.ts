// An HTTP tool: path template, query, a named secret, and the guard of outgoing requests.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Haft, http, tool } from "haft";

const server = createServer((request, response) => {
  if (request.headers.authorization !== "Bearer s3cret-key") {
    response.writeHead(401).end("who are you?");
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ path: request.url }));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;

//#region define
const forecast = tool({
  name: "forecast",
  description: "The forecast for a city",
  input: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
    required: ["city"],
  } as const,
  annotations: { readOnly: true },
  implementation: http({ url: `http://${place}/cities/{city}/forecast`, auth: { secret: "weather" } }),
});
//#endregion

//#region open
const haft = await Haft.open({
  tools: [forecast],
  principal: { agent: "demo", allow: ["*"] },
  credentials: { values: { weather: "s3cret-key" } },
  // Private addresses are refused unless an operator allows them.
  httpEgress: { allow: [place] },
});
//#endregion
assert.deepEqual(await haft.call("forecast", { city: "São Paulo" }), {
  path: "/cities/S%C3%A3o%20Paulo/forecast?days=3",
});

const guarded = await Haft.open({
  tools: [forecast],
  principal: { agent: "demo", allow: ["*"] },
  credentials: { values: { weather: "s3cret-key" } },
});
await assert.rejects(guarded.call("forecast", { city: "Oslo" }), { code: "outside_refused" });
assert.ok(!JSON.stringify(await haft.log()).includes("s3cret-key"));
await Promise.all([haft.close(), guarded.close()]);
server.close();
console.log("asked, answered, and the secret stayed home");
