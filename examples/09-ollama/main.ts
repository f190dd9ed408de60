// The agent of 07 on Ollama with two parallel tool calls, one of which fails; first as one response, then as
// a stream.
// With Ollama itself, which needs no key: `ollama pull llama3.2`, and remove the second argument of `ollama`.
// The asserted sentences are those of the mock: a real model words them differently.
import assert from "node:assert/strict";
import { agent, Haft, tool } from "haft";
import { validateConversation } from "haft/agent";
import { ollama } from "haft/models/ollama";
import { z } from "zod";
import { question, startProvider } from "../loopback/provider.ts";

const provider = await startProvider();

//#region tools
const weather = tool({
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: ({ city }) => {
    if (city === "Atlantis") throw new Error("there is no such city");
    return { celsius: 4 };
  },
});

const time = tool({
  name: "get_time",
  description: "Local time of a city",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: () => ({ time: "12:00" }),
});
//#endregion

//#region agent
const guide = agent({
  name: "guide",
  instructions: "Answer in one sentence.",
  model: ollama("llama3.2", { host: provider.url }),
  tools: [weather, time],
});
//#endregion

//#region run
const haft = await Haft.open({ principal: { agent: "guide", allow: ["get_*"] } });
const response = await haft.run(guide, question);
//#endregion
assert.equal(response.content, "Atlantis has no time zone, and in Oslo it is noon.");
assert.deepEqual(
  response.toolsUsed.map(({ name, result, error }) => [name, result ?? error]),
  [
    ["get_weather", 'Error: The tool "get_weather" failed: there is no such city'],
    ["get_time", { time: "12:00" }],
  ],
  "results keep the model's order, and failures are reported to it",
);
assert.deepEqual(
  response.toolsUsed.map(({ callId }) => callId),
  ["ollama_call_1", "ollama_call_2"],
  "a server that sends no ids gets them made up",
);
assert.deepEqual(validateConversation(response.context), []);

//#region stream
let text = "";
const stream = haft.stream(guide, question);
for await (const event of stream) {
  if (event.kind === "text") text += event.text;
}
const streamed = await stream.response;
//#endregion
assert.equal(text, response.content);
assert.deepEqual(
  streamed.toolsUsed.map(({ name, ok }) => [name, ok]),
  response.toolsUsed.map(({ name, ok }) => [name, ok]),
);

await Promise.all([haft.close(), provider.close()]);
console.log(response.content);
