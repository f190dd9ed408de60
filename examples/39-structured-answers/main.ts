// An agent that answers with a typed value, and handles invalid answers of its model.
import assert from "node:assert/strict";
//#region agent
import { agent, Haft, tool } from "haft";
import { scriptedModel } from "haft/testing";
import { z } from "zod";

const weather = tool({
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: ({ city }) => ({ city, celsius: 21, sky: "clear" }),
});

const reporter = agent({
  name: "reporter",
  instructions: "Report the weather.",
  model: "offline", // or "openai/gpt-5", "anthropic/…": any model
  tools: [weather],
  output: z.object({
    city: z.string(),
    celsius: z.number(),
    sky: z.enum(["clear", "cloudy", "rain"]),
  }),
});
//#endregion

//#region run
const haft = await Haft.open({ tools: [weather], principal: { agent: "reporter", allow: ["get_weather"] } });
const response = await haft.run(reporter, "What is the weather in Oslo?");

if (response.output === undefined) throw new Error(response.reason); // defined when the run is done
const fahrenheit = response.output.celsius * 1.8 + 32; // typed: { city: string; celsius: number; sky: … }
//#endregion
assert.equal(response.status, "done");
assert.deepEqual(response.output, { city: "Oslo", celsius: 21, sky: "clear" });
assert.equal(Math.round(fahrenheit), 70);

/** Replies with these texts in order, without provider-side validation. */
const saying = (...texts: readonly string[]) => scriptedModel(texts.map((text) => ({ text })));

// A small error is repaired by rules, and the response lists the repairs.
const slip = '```json\n{"city": "Oslo", "celsius": "21", "sky": "clear"}\n```';
const repaired = await haft.run(reporter, "And now?", { model: saying(slip) });
assert.deepEqual(repaired.output, { city: "Oslo", celsius: 21, sky: "clear" });
assert.ok(repaired.outputChanges !== undefined && repaired.outputChanges.length > 0);

// An error that cannot be repaired is returned to the model, which answers again.
const good = '{"city": "Oslo", "celsius": 19, "sky": "rain"}';
const corrected = await haft.run(reporter, "And now?", { model: saying("It rains.", good) });
assert.equal(corrected.output?.sky, "rain");
assert.equal(corrected.turns, 2);

// After three invalid answers the response has a reason instead of an output.
const hopeless = await haft.run(reporter, "And now?", { model: saying("Wet.", "Very wet.", "Drenched.") });
assert.equal(hopeless.status, "stopped");
assert.equal(hopeless.output, undefined);
assert.match(hopeless.reason ?? "", /After 3 requests/);

//#region stream
const stream = haft.stream(reporter, "What is the weather in Bergen?");
const seen: unknown[] = [];
for await (const event of stream) {
  if (event.kind === "output") seen.push(event.value); // partial and not validated
}
const { output } = await stream.response; // validated
//#endregion
assert.deepEqual(seen.at(-1), output);
assert.equal(output?.city, "Bergen");

await haft.close();
console.log(`${response.output.city}: ${response.output.celsius} °C, ${response.output.sky}`);
