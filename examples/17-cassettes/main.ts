// A cassette records tool results once and replays them in tests without the tools, servers or keys.
//#region agent
import assert from "node:assert/strict";
import { agent, Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { CassetteError, calls, cassette, replayRun, says, scriptedModel } from "haft/testing";
import { open } from "./open.ts";
//#endregion
import { station } from "./station.ts";

delete process.env.CI; // in CI a missing tape is an error

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
  await using tape = cassette("weather.json"); // without a file the results are recorded, and saved at the end
  await using haft = await open({ layers: [tape.layer] });
  return await haft.run(guide, "Where is it warmer?", { model: model() });
};
const first = await ask();
//#endregion
assert.equal(station.asked, 2);
station.close();

//#region replay
const again = await ask(); // the same function, now answered by the tape
assert.equal(again.content, first.content);
//#endregion
assert.equal(station.asked, 2);

//#region mismatch
const other = async () => {
  await using tape = cassette("weather.json", { match: "by-arguments" });
  await using haft = await open({ layers: [tape.layer] });
  const [reply] = await haft.turn([{ id: "1", tool: "weather", input: { city: "Bergen" } }]);
  assert.match(reply?.text ?? "", /has no answer for this call of "weather"/);
};
const error = await other().catch((thrown) => thrown); // thrown when the tape is disposed
assert.ok(error instanceof CassetteError);
assert.match(error.message, /- {3}"city": "Oslo"\n.*\+ {3}"city": "Bergen"/);
//#endregion

//#region recorded
const record = async () => {
  await using tape = cassette("weather.json");
  const config = { ledger: { keepPayloads: true } }; // as --record does on the command line
  await using haft = await open({ layers: [tape.layer], ledger: "sqlite:./haft.db", config });
  return await haft.run(guide, "Where is it warmer?", { model: model() });
};
const { runId } = await record();
const ledger = await openLedger("sqlite:./haft.db");
const run = await ledger.run(runId);
await ledger.end();
assert.ok(run);
//#endregion

//#region compare
const changed = tool({
  name: "weather",
  description: "The weather in a city",
  input: { city: { type: "string" }, required: ["city"] },
  annotations: { readOnly: true },
  run: ({ city }) => ({ city, celsius: city === "Oslo" ? 4 : 21 }),
});
const haft = await Haft.open({ tools: [changed], principal: { agent: "guide", allow: ["*"] } });
const replay = await replayRun({ run, haft }); // repeats the calls of a recorded run without a model
assert.deepEqual(
  replay.calls.map(({ tool, status }) => `${tool} ${status}`),
  ["weather same", "weather different"],
);
//#endregion
assert.match(replay.calls[1]?.diff ?? "", /- {3}"celsius": 4,\n\+ {3}"celsius": 21,/);
await haft.close();
station.clear();
console.log(again.content);
