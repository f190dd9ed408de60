// An agent on OpenAI with two parallel tool calls, one of which fails; first as one response, then as a
// stream.
// With OpenAI itself: set OPENAI_API_KEY, and remove the local provider.
// The asserted sentences are those of the mock: a real model words them differently.
import assert from "node:assert/strict";
//#region tools
import { agent, Haft, tool } from "haft";
//#endregion
import { validateConversation } from "haft/agent";
//#region tools
import { openai } from "haft/models/openai";
import { z } from "zod";
//#endregion
import { question, startProvider } from "../loopback/provider.ts";

const provider = await startProvider();
Object.assign(process.env, { OPENAI_API_KEY: "no-key-needed-here", OPENAI_BASE_URL: `${provider.url}/v1` });

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
  model: openai("gpt-5"), // the key is in OPENAI_API_KEY
  tools: [weather, time],
});
//#endregion

//#region run
const haft = await Haft.open({ principal: { agent: "guide", allow: ["get_*"] } });
const response = await haft.run(guide, "How warm is it in Atlantis, and what time is it in Oslo?");
console.log(response.content);
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
assert.deepEqual(response.usage, { inputTokens: 40, outputTokens: 14 }, "of both turns");
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
assert.deepEqual(streamed.usage, response.usage);

// Most OpenAI-compatible servers only support the older API.
const older = openai("gpt-5", { api: "chat" });
assert.equal((await haft.run(guide, question, { model: older })).content, response.content);

await Promise.all([haft.close(), provider.close()]);
