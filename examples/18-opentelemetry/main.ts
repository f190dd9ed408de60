// Tool and model calls as OpenTelemetry spans and metrics: one trace from the user's span to the tool's own.
import assert from "node:assert/strict";
//#region open
import { trace } from "@opentelemetry/api";
import { agent, Haft, tool } from "haft";
import { otel } from "haft/otel";
import { z } from "zod";
import { measured, reader, spans } from "./sdk.ts";

const translate = tool({
  name: "translate",
  description: "Translates a text",
  input: z.object({ text: z.string() }),
  annotations: { readOnly: true },
  run: async ({ text }, ctx) => {
    const span = trace.getTracer("my-app").startSpan("ask the dictionary"); // a child of the span of the call
    ctx.cost(0.002); // in your currency
    span.end();
    return text.toUpperCase();
  },
});

const guide = agent({
  name: "guide",
  instructions: "Translate what you are given.",
  model: "offline",
  tools: [translate],
});

const watching = otel();
const haft = await Haft.open({ principal: { agent: "guide", allow: ["*"] }, layers: [watching] });
const ask = () => haft.run(guide, 'Translate the text "guten Tag"', { modelLayers: [watching] });
//#endregion
await trace.getTracer("my-app").startActiveSpan("request", async (request) => {
  await ask();
  request.end();
});

const finished = spans.getFinishedSpans();
const named = (name: string) => finished.find((span) => span.name === name);
assert.deepEqual(
  finished.map(({ name }) => name),
  [
    "chat planner",
    "ask the dictionary",
    "execute_tool translate",
    "chat planner",
    "invoke_agent guide",
    "request",
  ],
);
assert.equal(new Set(finished.map((span) => span.spanContext().traceId)).size, 1);
const call = named("execute_tool translate");
assert.equal(named("ask the dictionary")?.parentSpanContext?.spanId, call?.spanContext().spanId);
assert.equal(call?.attributes["haft.cost"], 0.002);
assert.ok(!JSON.stringify(finished.map(({ attributes }) => attributes)).includes("guten Tag"));

await reader.forceFlush();
const names = measured
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  .map(({ descriptor }) => descriptor.name);
for (const name of ["gen_ai.client.operation.duration", "gen_ai.client.token.usage", "haft.tool.cost"]) {
  assert.ok(names.includes(name), name);
}
await haft.close();
await reader.shutdown();
console.log(finished.map(({ name }) => name).join(", "));
