import { context, propagation, trace } from "@opentelemetry/api";
import * as Effect from "effect/Effect";
import { beforeEach, expect, test } from "vitest";
import { calls, says, scriptedModel } from "../../../test/kit/scripted-model.ts";
import {
  inUserSpan,
  parentSpanIdOf,
  spanIdOf,
  type Telemetry,
  useTelemetry,
} from "../../../test/kit/telemetry.ts";
import { loopbackServer } from "../../../test/loopback-server.ts";
import { agent } from "../../agent/agent.ts";
import { limit } from "../../pipeline/layers/limit.ts";
import { Haft } from "../../runtime/haft.ts";
import { http } from "../../tools/http.ts";
import { tool } from "../../tools/tool.ts";
import { otel } from "./otel.ts";
import { traceMeta } from "./trace-carrier.ts";

let seen: Telemetry;
beforeEach(() => {
  seen = useTelemetry();
});

const principal = { agent: "demo", allow: ["*"] };

const inner = (name: string): void => trace.getTracer("user").startSpan(name).end();

const slow = tool({
  name: "slow",
  description: "Answers after the others have begun",
  input: { number: { type: "integer" }, secret: { type: "string" } },
  annotations: { readOnly: true },
  run: async ({ number, secret }) => {
    await new Promise((resolve) => setImmediate(resolve));
    inner(`inside ${number}`);
    return `${secret}-result`;
  },
});

test("creates a span for each call of a turn under the user's span, with the spans of its code", async () => {
  await using haft = await Haft.open({
    tools: [slow],
    principal,
    layers: [limit({ concurrency: 3 }), otel()],
  });
  const raw = Array.from({ length: 8 }, (_, number) => ({
    id: `call-${number}`,
    tool: "slow",
    input: JSON.stringify({ number, secret: "c4nary" }),
  }));
  const replies = await inUserSpan("user", () => haft.turn(raw, { maxConcurrency: 5 }));
  expect(replies.map(({ ok }) => ok)).toEqual(Array(8).fill(true));
  const user = seen.span("user");
  const spans = seen.spans().filter(({ name }) => name === "execute_tool slow");
  expect(spans).toHaveLength(8);
  for (const span of spans) {
    expect(parentSpanIdOf(span)).toBe(spanIdOf(user));
    const number = String(span.attributes["gen_ai.tool.call.id"]).slice("call-".length);
    expect(parentSpanIdOf(seen.span(`inside ${number}`))).toBe(spanIdOf(span));
  }
  expect(await seen.exported()).not.toContain("c4nary");
});

test("creates the spans of the models and tools of a run in one trace", async () => {
  const watching = otel();
  const model = scriptedModel([calls(["slow", { number: 1, secret: "c4nary" }]), says("c4nary")], {
    id: "openai/gpt-5",
  });
  const guide = agent({
    name: "guide",
    instructions: "c4nary",
    model,
    tools: [slow],
    modelLayers: [watching],
  });
  await using haft = await Haft.open({ principal, layers: [watching] });
  await inUserSpan("user", () => haft.run(guide, "c4nary"));
  const run = seen.span("invoke_agent guide");
  expect(parentSpanIdOf(run)).toBe(spanIdOf(seen.span("user")));
  const ours = seen.spans().filter(({ name }) => /^(chat|execute_tool)/.test(name));
  expect(ours.map(({ name }) => name)).toEqual(["chat gpt-5", "execute_tool slow", "chat gpt-5"]);
  for (const span of ours) {
    expect(parentSpanIdOf(span)).toBe(spanIdOf(run));
    expect(span.attributes["gen_ai.agent.name"]).toBe("guide");
  }
  expect(new Set(ours.map(({ attributes }) => attributes["haft.run.id"])).size).toBe(1);
  expect(await seen.exported()).not.toContain("c4nary");
});

test("records the ids of the ledger entry and the run in the span of a call", async () => {
  await using haft = await Haft.open({ tools: [slow], principal, layers: [otel()] });
  await haft.call("slow", { number: 1, secret: "x" });
  const [entry] = await haft.log();
  expect(seen.span("execute_tool slow").attributes).toMatchObject({
    "haft.entry.id": entry!.entryId,
    "haft.run.id": entry!.runId,
  });
});

test("sends the span of the call with an HTTP request, and no baggage", () =>
  Effect.gen(function* () {
    const server = yield* loopbackServer((_, response) => void response.end("well"));
    const asking = tool({
      name: "asking",
      description: "Asks a server",
      input: { type: "object" },
      annotations: { readOnly: true },
      implementation: http({ url: `${server.origin}/` }),
    });
    yield* Effect.promise(async () => {
      await using haft = await Haft.open({
        tools: [asking],
        principal,
        layers: [otel()],
        httpEgress: { allow: [server.place] },
      });
      const baggage = propagation.createBaggage({ user: { value: "c4nary" } });
      await context.with(propagation.setBaggage(context.active(), baggage), () =>
        inUserSpan("user", () => haft.call("asking", {})),
      );
    });
    const span = seen.span("execute_tool asking");
    const { traceId, spanId } = span.spanContext();
    expect(span.attributes["gen_ai.tool.type"]).toBe("extension");
    expect(server.seen[0]?.headers).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(JSON.stringify(server.seen[0]?.headers)).not.toContain("c4nary");
    expect(parentSpanIdOf(span)).toBe(spanIdOf(seen.span("user")));
  }).pipe(Effect.scoped, Effect.runPromise));

test("puts the active span into the `_meta` of an MCP request", async () => {
  expect(traceMeta()).toEqual({});
  const meta = await inUserSpan("user", async () => traceMeta());
  const { traceId, spanId } = seen.span("user").spanContext();
  expect(meta).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
});

test("adds nothing when a propagator throws or writes invalid headers", async () => {
  propagation.disable();
  propagation.setGlobalPropagator({
    inject: (_, carrier, { set }) => {
      set(carrier, "split", "a\r\nb");
      set(carrier, "host", "elsewhere");
      set(carrier, "number", 1 as never);
      throw new Error("broken");
    },
    extract: (from) => from,
    fields: () => [],
  });
  expect(await inUserSpan("user", async () => traceMeta())).toEqual({});
});
