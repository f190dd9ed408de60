import assert from "node:assert/strict";
//#region example
import { Haft, tool } from "haft";
import { limit, retry, timeout } from "haft/layers";
import { z } from "zod";

const weather = tool({
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string() }),
  output: z.object({ celsius: z.number() }),
  annotations: { readOnly: true },
  run: async ({ city }) => ({ celsius: city === "Oslo" ? 4 : 21 }),
}).layer(timeout("5 seconds"), retry({ attempts: 3 }), limit({ concurrency: 10 }));

const haft = await Haft.open({ tools: [weather], principal: { agent: "demo", allow: ["get_*"] } });
const replies = await haft.turn([{ id: "call_1", tool: "get_weather", input: '{"city":"Oslo"}' }]);
console.log(replies[0]?.text); // {"celsius":4}
//#endregion
assert.equal(replies[0]?.text, '{"celsius":4}');
assert.deepEqual(await haft.call("get_weather", { city: "Rome" }), { celsius: 21 });
await haft.close();
