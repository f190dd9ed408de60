import { SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { agent, Haft, type Principal, tool } from "haft";
import { serveHttp } from "haft/mcp";
import { otel } from "haft/otel";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { calls, says, scriptedModel } from "../kit/scripted-model.ts";
import { inUserSpan, parentSpanIdOf, spanIdOf, type Telemetry, useTelemetry } from "../kit/telemetry.ts";
import { useSqliteFolder } from "../kit/use-sqlite-folder.ts";

const folder = useSqliteFolder();
let seen: Telemetry;
beforeEach(() => {
  seen = useTelemetry();
});

const principal: Principal = { agent: "desk", session: "s1", allow: ["**"] };
const read = tool({
  name: "read",
  description: "Reads",
  input: { text: { type: "string" } },
  annotations: { readOnly: true },
  run: ({ text }) => `read ${text}`,
});
const refund = tool({
  name: "refund",
  description: "Refunds",
  input: { amount: { type: "integer" } },
  risk: "high",
  run: ({ amount }) => `refunded ${amount}`,
});

const names = (spans: readonly ReadableSpan[]) => spans.map(({ name }) => name);
const tracesOf = (spans: readonly ReadableSpan[]) => new Set(spans.map((span) => span.spanContext().traceId));
const counted = async (name: string) =>
  (await seen.measured())
    .find(({ descriptor }) => descriptor.name === name)!
    .dataPoints.map(({ attributes, value }) => ({ ...attributes, value }));

describe("a run of an agent", () => {
  const ran = async (run: (work: () => Promise<unknown>) => Promise<unknown>): Promise<void> => {
    const watching = otel();
    const turns = Array.from({ length: 5 }, (_, at) => calls(["read", { text: `note ${at}` }]));
    const model = scriptedModel([...turns, says("done")], { id: "openai/gpt-5" });
    const guide = agent({ name: "guide", instructions: "Read.", model, tools: [read] });
    await using haft = await Haft.open({ principal, layers: [watching] });
    await run(() => haft.run(guide, "read them", { modelLayers: [watching] }));
  };

  test("without an outer span is one trace under invoke_agent", async () => {
    await ran((work) => work());
    const whole = seen.span("invoke_agent guide");
    expect(seen.spans()).toHaveLength(12);
    expect(tracesOf(seen.spans()).size).toBe(1);
    expect(parentSpanIdOf(whole)).toBeUndefined();
    for (const span of seen.spans()) if (span !== whole) expect(parentSpanIdOf(span)).toBe(spanIdOf(whole));
    expect(whole.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "guide",
      "gen_ai.conversation.id": "s1",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "haft.outcome": "done",
      "haft.run.turns": 6,
    });
    expect(await counted("gen_ai.invoke_agent.duration")).toMatchObject([
      { "gen_ai.agent.name": "guide", value: { count: 1 } },
    ]);
  });

  test("inside of a span of the user is its child", async () => {
    await ran((work) => inUserSpan("user", work));
    expect(tracesOf(seen.spans()).size).toBe(1);
    expect(parentSpanIdOf(seen.span("invoke_agent guide"))).toBe(spanIdOf(seen.span("user")));
  });

  test("that fails has the code of the failure, and no texts", async () => {
    const model = scriptedModel([], { id: "openai/gpt-5" });
    const guide = agent({ name: "guide", instructions: "c4nary", model, tools: [read] });
    await using haft = await Haft.open({ principal, layers: [otel()] });
    await expect(haft.run(guide, "c4nary")).rejects.toThrow();
    const { attributes, status } = seen.span("invoke_agent guide");
    expect(attributes).toMatchObject({ "haft.outcome": "failure", "error.type": expect.any(String) });
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(await seen.exported()).not.toContain("c4nary");
  });
});

describe("a call and the otel layer", () => {
  test("a call that is refused before the layers has a span with its code, and is counted", async () => {
    const when = { type: "object", properties: { text: { const: "c4nary" } } } as const;
    const rules = [
      { effect: "deny", tools: ["read"], when },
      { effect: "allow", tools: ["*"] },
    ] as const;
    await using haft = await Haft.open({ tools: [read], principal, policy: { rules }, layers: [otel()] });
    await haft.turn([
      { id: "1", tool: "read", input: '{"text":"c4nary"}' },
      { id: "2", tool: "read", input: '{"text":1}' },
      { id: "3", tool: "c4nary", input: "{}" },
    ]);
    expect(seen.spans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
      ["execute_tool read", "denied"],
      ["execute_tool read", "invalid_input"],
      ["execute_tool", "unknown_tool"],
    ]);
    for (const { status } of seen.spans()) expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(await counted("haft.tool.calls")).toEqual([
      { "gen_ai.tool.name": "read", "haft.outcome": "failure", "error.type": "denied", value: 1 },
      { "gen_ai.tool.name": "read", "haft.outcome": "failure", "error.type": "invalid_input", value: 1 },
      { "haft.outcome": "failure", "error.type": "unknown_tool", value: 1 },
    ]);
    expect(await seen.exported()).not.toContain("c4nary");
  });

  test("a call that passes the layer has one span and is counted once", async () => {
    await using haft = await Haft.open({ tools: [read], principal, layers: [otel()] });
    await haft.call("read", { text: "x" });
    const broken = tool({
      name: "broken",
      description: "Breaks",
      input: { text: { type: "string" } },
      run: () => Promise.reject(new Error("no")),
    });
    await using other = await Haft.open({ tools: [broken], principal, layers: [otel()] });
    await expect(other.call("broken", { text: "x" })).rejects.toThrow();
    expect(names(seen.spans())).toEqual(["execute_tool read", "execute_tool broken"]);
    expect((await counted("haft.tool.calls")).map(({ value }) => value)).toEqual([1, 1]);
  });
});

describe("a pending call", () => {
  const refunding = { id: "c1", tool: "refund", input: '{"amount":8}' };
  const open = (ledger: string) =>
    Haft.open({ tools: [refund], principal, ledger, approver: () => undefined, layers: [otel()] });

  const expectLinked = (): void => {
    const [waited, ran] = seen.spans().filter(({ name }) => name === "execute_tool refund");
    expect(waited!.attributes).toMatchObject({ "haft.outcome": "pending" });
    expect(waited!.status.code).toBe(SpanStatusCode.UNSET);
    expect(ran!.spanContext().traceId).not.toBe(waited!.spanContext().traceId);
    expect(ran!.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([
      [waited!.spanContext().traceId, waited!.spanContext().spanId],
    ]);
  };

  test("has a span, to which the resumed call is linked", async () => {
    const ledger = `sqlite:${folder.fresh()}`;
    await using haft = await open(ledger);
    const [reply] = await inUserSpan("asked", () => haft.turn([refunding]));
    await inUserSpan("answered", () => haft.resume(reply!.pending!.id, { kind: "allow" }));
    expectLinked();
    expect(await counted("haft.tool.calls")).toEqual([
      { "gen_ai.tool.name": "refund", "haft.outcome": "pending", value: 1 },
      { "gen_ai.tool.name": "refund", "haft.outcome": "continue", value: 1 },
    ]);
  });

  test("is also linked when another process resumes it", async () => {
    const ledger = `sqlite:${folder.fresh()}`;
    const first = await open(ledger);
    const [reply] = await first.turn([refunding]);
    await first.close();
    await using second = await open(ledger);
    await second.resume(reply!.pending!.id, { kind: "allow" });
    expectLinked();
  });

  test("is also linked when it is denied", async () => {
    const ledger = `sqlite:${folder.fresh()}`;
    await using haft = await open(ledger);
    const [reply] = await haft.turn([refunding]);
    await haft.resume(reply!.pending!.id, { kind: "deny" });
    expectLinked();
    expect(seen.spans().at(-1)!.attributes["error.type"]).toBe("approval_denied");
  });
});

describe("a call through the gateway", () => {
  const message = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  const carrier = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
  const spelled = ({ traceId, spanId }: typeof message) => `00-${traceId}-${spanId}-01`;

  const gateway = async () => {
    const haft = await Haft.open({ tools: [read], principal, layers: [otel()] });
    const host = await serveHttp(haft, {});
    onTestFinished(async () => {
      await host.close();
      await haft.close();
    });
    return host;
  };
  const callText = (meta: object) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "read",
        arguments: { text: "x" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
          ...meta,
        },
      },
    });
  const post = async (url: string, headers: Readonly<Record<string, string>>, meta: object) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "read",
        ...headers,
      },
      body: callText(meta),
    });
    expect(await response.text()).toContain("read x");
  };
  const span = () => seen.span("execute_tool read");
  const parent = () => ({ traceId: span().spanContext().traceId, spanId: parentSpanIdOf(span()) });

  test("continues the trace of the message", async () => {
    await post((await gateway()).url, {}, { traceparent: spelled(message), tracestate: "vendor=1" });
    expect(parent()).toEqual(message);
    expect(span().spanContext().traceState?.get("vendor")).toBe("1");
    expect(span().links).toEqual([]);
  });

  test("continues the trace of its request if the message has none", async () => {
    await post((await gateway()).url, { traceparent: spelled(carrier) }, {});
    expect(parent()).toEqual(carrier);
  });

  test("continues the trace of the message and is linked to that of the request if both have one", async () => {
    await post((await gateway()).url, { traceparent: spelled(carrier) }, { traceparent: spelled(message) });
    expect(parent()).toEqual(message);
    expect(span().links.map(({ context }) => context)).toMatchObject([carrier]);
  });

  test.each([
    "nonsense",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    `ff${spelled(message).slice(2)}`,
  ])("starts a new trace for the invalid traceparent %s", async (traceparent) => {
    await post((await gateway()).url, {}, { traceparent });
    expect(parentSpanIdOf(span())).toBeUndefined();
  });

  test("continues the trace of the message over a socket", async () => {
    const { url } = await gateway();
    const socket = new WebSocket(url.replace("http", "ws"), "mcp");
    onTestFinished(() => socket.terminate());
    const answered = new Promise((resolve) => socket.on("message", (data) => resolve(String(data))));
    socket.on("open", () => socket.send(callText({ traceparent: spelled(message) })));
    expect(await answered).toContain("read x");
    expect(parent()).toEqual(message);
  });

  test("of a remote run belongs to the trace of that run", async () => {
    const { url } = await gateway();
    const model = scriptedModel([calls(["desk__read", { text: "x" }]), says("done")], { id: "openai/gpt-5" });
    await using haft = await Haft.open({
      principal,
      mcp: { servers: { desk: { url } }, lock: false },
      layers: [otel()],
    });
    const guide = agent({ name: "guide", instructions: "Read.", model, tools: ["desk/read"] });
    await haft.run(guide, "read it", { modelLayers: [otel()] });
    expect(names(seen.spans()).toSorted()).toEqual(
      [
        "chat gpt-5",
        "chat gpt-5",
        "execute_tool desk/read",
        "execute_tool read",
        "invoke_agent guide",
      ].toSorted(),
    );
    expect(tracesOf(seen.spans()).size).toBe(1);
    expect(parentSpanIdOf(span())).toBe(spanIdOf(seen.span("execute_tool desk/read")));
  });
});
