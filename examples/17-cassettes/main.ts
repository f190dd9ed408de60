// A cassette: what tools answer is recorded once, and replayed in tests without the tools, their servers or their keys.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, Haft, tool } from "haft";
import { CassetteError, calls, cassette, replayRun, says, scriptedModel } from "haft/testing";
import { open } from "./open.ts";

delete process.env.CI; // where a missing tape is an error
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  const city = decodeURIComponent(request.url?.split("/").at(-1) ?? "");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ city, celsius: 4, apiKey: "k-12345" }));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const folder = mkdtempSync(join(tmpdir(), "haft-example-"));
const path = join(folder, "weather.json");

//#region agent
const guide = agent({ name: "guide", instructions: "Say how it is.", tools: ["weather"] });
const model = () =>
  scriptedModel([
    calls(["weather", { city: "Oslo" }], ["weather", { city: "Rome" }]),
    says("Both are cold."),
  ]);
//#endregion

//#region record
const ask = async () => {
  await using tape = cassette(path); // no such file: what the tools answer is recorded, and saved at the end
  await using haft = await open({ layers: [tape.layer], place });
  return await haft.run(guide, "Where is it warmer?", { model: model() });
};
const first = await ask();
//#endregion
assert.equal(asked, 2);
assert.ok(!readFileSync(path, "utf8").includes("k-12345"));
server.close();
server.closeAllConnections();

//#region replay
const again = await ask(); // the same function: now the tape answers, and nothing leaves the process
assert.equal(again.content, first.content);
assert.equal(asked, 2);
//#endregion

//#region mismatch
const other = async () => {
  await using tape = cassette(path, { match: "by-arguments" });
  await using haft = await open({ layers: [tape.layer], place });
  const [reply] = await haft.turn([{ id: "1", tool: "weather", input: { city: "Bergen" } }]);
  assert.match(reply?.text ?? "", /has no answer for this call of "weather"/);
};
const error = await other().catch((thrown) => thrown); // thrown by the tape when it is disposed of
assert.ok(error instanceof CassetteError);
assert.match(error.message, /- {3}"city": "Oslo"\n.*\+ {3}"city": "Bergen"/);
//#endregion

const run = {
  runId: first.runId,
  agent: "guide",
  principal: undefined,
  status: "done",
  turns: 2,
  usage: first.usage,
  startedAt: 0,
  updatedAt: 0,
  given: 1,
  messages: first.context,
} as const;
//#region compare
const changed = tool({
  name: "weather",
  description: "The weather in a city",
  input: { city: { type: "string" }, required: ["city"] },
  annotations: { readOnly: true },
  run: ({ city }) => ({ city, celsius: city === "Oslo" ? 4 : 21, apiKey: "k-12345" }),
});
const haft = await Haft.open({ tools: [changed], principal: { agent: "guide", allow: ["*"] } });
const replay = await replayRun({ run, haft }); // the calls of a recorded run, made once more; no model is asked
assert.deepEqual(
  replay.calls.map(({ tool, status }) => `${tool} ${status}`),
  ["weather same", "weather different"],
);
//#endregion
assert.match(replay.calls[1]?.diff ?? "", /- {3}"celsius": 4,\n\+ {3}"celsius": 21,/);
await haft.close();
rmSync(folder, { recursive: true });
console.log(again.content);
