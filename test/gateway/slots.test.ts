import { Haft, tool } from "haft";
import { describe, expect, test } from "vitest";
import { openRuntimeBackend } from "../../src/server/gateway/runtime-backend.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { bearer, hostScene } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import { adaToken, bobToken } from "./access-scene.ts";
import {
  cancelMessage,
  initializeRequest,
  modernHeaders,
  modernMeta,
  openMcpHttpSession,
  openSlotGateway,
  openSocket,
  openStream,
  postToHost,
  slotsFullResponse,
  toolCallMessage,
} from "./slot-scene.ts";

describe("a call keeps its slot until it ends, even if its client", () => {
  test("hangs up in a session", async () => {
    const { host, held, letGo } = await openSlotGateway();
    const headers = await openMcpHttpSession(host);
    for (const id of [10, 11, 12]) {
      const { hangUp } = openStream(host, toolCallMessage(id, "wait"), headers);
      await waitFor(() => expect(held.length).toBe(id - 9));
      hangUp();
      await waitFor(() => expect(host.lines.length).toBe(id - 8));
    }
    expect(await postToHost(host, toolCallMessage(13), headers)).toMatchObject(slotsFullResponse);
    expect((await postToHost(host, initializeRequest(1), bearer(bobToken))).status).toBe(200);
    letGo();
    await waitFor(async () =>
      expect((await postToHost(host, toolCallMessage(14), headers)).status).toBe(200),
    );
  });

  test("hangs up on a stateless request whose code ignores the signal", async () => {
    const { host, held, signals, letGo } = await openSlotGateway();
    for (const id of [10, 11, 12]) {
      const { hangUp } = openStream(host, toolCallMessage(id, "wait", modernMeta), modernHeaders("wait"));
      await waitFor(() => expect(held.length).toBe(id - 9));
      hangUp();
      await waitFor(() => expect(signals.at(-1)!.aborted).toBe(true));
    }
    expect(
      await postToHost(host, toolCallMessage(13, "say", modernMeta), modernHeaders("say")),
    ).toMatchObject(slotsFullResponse);
    letGo();
    const again = async () =>
      (await postToHost(host, toolCallMessage(14, "say", modernMeta), modernHeaders("say"))).status;
    await waitFor(async () => expect(await again()).toBe(200));
  });

  test("terminates its socket", async () => {
    const { host, held, letGo } = await openSlotGateway();
    for (const count of [1, 2, 3]) {
      const { socket, open, send } = await openSocket(host);
      await open();
      send(toolCallMessage(10, "wait"));
      await waitFor(() => expect(held.length).toBe(count));
      socket.terminate();
      const closes = () => host.lines.filter(({ method }) => method === "close").length;
      await waitFor(async () => expect(await closes()).toBe(count));
    }
    const { send, answer } = await openSocket(host);
    send(initializeRequest(1));
    expect((await answer(1)).error).toMatchObject({ data: { error: "too_many_at_once" } });
    letGo();
    await waitFor(async () => expect((await postToHost(host, initializeRequest(1), {})).status).toBe(200));
  });

  test("sent it in a batch and hangs up", async () => {
    const { host, held, letGo } = await openSlotGateway();
    const begun = await postToHost(
      host,
      { ...initializeRequest(1), params: { ...initializeRequest(1).params, protocolVersion: "2025-03-26" } },
      {},
    );
    const headers = { "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    const { hangUp } = openStream(
      host,
      [toolCallMessage(10, "wait"), toolCallMessage(11, "wait"), toolCallMessage(12, "wait")],
      headers,
    );
    await waitFor(() => expect(held.length).toBe(3));
    hangUp();
    await waitFor(() => expect(host.lines.length).toBe(2));
    expect(await postToHost(host, toolCallMessage(13), headers)).toMatchObject(slotsFullResponse);
    letGo();
    await waitFor(async () =>
      expect((await postToHost(host, toolCallMessage(14), headers)).status).toBe(200),
    );
  });
});

test("code that ignores its signal keeps the slot of its call after the call has ended", async () => {
  const held: (() => void)[] = [];
  const stubborn = tool({
    name: "stubborn",
    description: "Does not stop.",
    input: { type: "object", properties: {} },
    annotations: { idempotent: true },
    run: () => new Promise<string>((resolve) => held.push(() => resolve("at last"))),
  });
  const say = tool({
    name: "say",
    description: "Says.",
    input: { type: "object", properties: {} },
    run: () => "said",
  });
  await using haft = await Haft.open({ tools: [stubborn, say], principal: { agent: "ada" } });
  const served = await openRuntimeBackend(haft, { info: { name: "t", version: "1" } });
  const host = await hostScene({
    auth: { kind: "tokens", tokens: [{ token: adaToken, principal: { agent: "ada", allow: ["**"] } }] },
    maxConcurrent: 4,
    ...mountMcp(served),
  });
  for (const id of [10, 11, 12]) {
    const { hangUp } = openStream(
      host,
      toolCallMessage(id, "stubborn", modernMeta),
      modernHeaders("stubborn"),
    );
    await waitFor(() => expect(held.length).toBe(id - 9));
    hangUp();
    await waitFor(() => expect(host.lines.length).toBe(id - 9));
  }
  const again = () => postToHost(host, toolCallMessage(14, "say", modernMeta), modernHeaders("say"));
  await waitFor(async () =>
    expect((await haft.log()).filter(({ ending }) => ending !== "open").length).toBe(3),
  );
  expect(await again()).toMatchObject(slotsFullResponse);
  for (const end of held) end();
  await waitFor(async () => expect((await again()).status).toBe(200));
});

describe("a caller whose calls fill every slot", () => {
  test("can cancel one of them over HTTP", async () => {
    const { host, held, signals } = await openSlotGateway();
    const headers = await openMcpHttpSession(host);
    for (const id of [10, 11, 12]) openStream(host, toolCallMessage(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(3));
    expect(await postToHost(host, toolCallMessage(13), headers)).toMatchObject(slotsFullResponse);
    expect((await postToHost(host, cancelMessage(11), headers)).status).toBe(202);
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can cancel one of them over a socket", async () => {
    const { host, held, signals } = await openSlotGateway();
    const { open, send, answer } = await openSocket(host);
    await open();
    for (const id of [10, 11, 12]) send(toolCallMessage(id, "wait"));
    await waitFor(() => expect(held.length).toBe(3));
    send(toolCallMessage(13));
    expect((await answer(13)).error).toMatchObject({ data: { status: 503 } });
    send(cancelMessage(11));
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can answer their elicitations over HTTP", async () => {
    const { host } = await openSlotGateway();
    const headers = await openMcpHttpSession(host);
    const streams = [10, 11, 12].map((id) => openStream(host, toolCallMessage(id, "ask"), headers));
    for (const { received } of streams) {
      await waitFor(() => expect(received.text).toContain("elicitation/create"));
      const question = received.text.split("\n").find((line) => line.includes("elicitation/create"))!;
      const { id } = JSON.parse(question.replace(/^data: /, ""));
      const answered = await postToHost(
        host,
        { jsonrpc: "2.0", id, result: { action: "accept", content: {} } },
        headers,
      );
      expect(answered.status).toBe(202);
      await waitFor(() => expect(received.text).toContain("accept"));
    }
  });

  test("can answer their elicitations over a socket", async () => {
    const { host } = await openSlotGateway();
    const { open, send, answer, got } = await openSocket(host);
    await open();
    for (const id of [10, 11, 12]) send(toolCallMessage(id, "ask"));
    const questions = () => got.filter(({ method }) => method === "elicitation/create");
    await waitFor(() => expect(questions().length).toBe(3));
    for (const { id } of questions()) send({ jsonrpc: "2.0", id, result: { action: "accept", content: {} } });
    for (const id of [10, 11, 12])
      expect((await answer(id)).result).toMatchObject({ content: expect.any(Array) });
  });

  test("cannot start another call in the form of another message", async () => {
    const { host, held, calls } = await openSlotGateway();
    const headers = await openMcpHttpSession(host);
    for (const id of [10, 11, 12]) openStream(host, toolCallMessage(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(3));
    for (const body of [
      [cancelMessage(99), toolCallMessage(13)],
      { ...toolCallMessage(14), result: {} },
      { ...toolCallMessage(15), id: 1.5 },
      {},
      "text",
    ])
      expect((await postToHost(host, body, headers)).status).toBe(503);
    expect(calls).toHaveLength(3);
  });
});

describe("a caller above its rate limit", () => {
  const rate = { perMinute: 1, burst: 4 };

  test("can cancel a running call over HTTP, once, and nothing else", async () => {
    const { host, held, signals } = await openSlotGateway({ rate, now: () => 0 });
    const headers = await openMcpHttpSession(host);
    for (const id of [10, 11]) openStream(host, toolCallMessage(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(2));
    expect((await postToHost(host, cancelMessage(99), headers)).status).toBe(202);
    for (const body of [cancelMessage(99), toolCallMessage(12), { jsonrpc: "2.0", id: 5, result: {} }])
      expect((await postToHost(host, body, headers)).status).toBe(429);
    expect((await postToHost(host, cancelMessage(10), headers)).status).toBe(202);
    expect((await postToHost(host, cancelMessage(10), headers)).status).toBe(429);
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can answer an elicitation over a socket, and nothing else", async () => {
    const { host } = await openSlotGateway({ rate, now: () => 0 });
    const { open, send, answer, got } = await openSocket(host);
    await open();
    send(toolCallMessage(10, "ask"));
    const questions = () => got.filter(({ method }) => method === "elicitation/create");
    await waitFor(() => expect(questions().length).toBe(1));
    send(toolCallMessage(11));
    expect((await answer(11)).error).toMatchObject({ data: { status: 429 } });
    send({ jsonrpc: "2.0", id: "never asked", result: {} });
    expect((await answer(null)).error).toMatchObject({ data: { status: 429 } });
    send({ jsonrpc: "2.0", id: questions()[0]!.id, result: { action: "accept", content: {} } });
    expect((await answer(10)).result).toMatchObject({ content: expect.any(Array) });
  });
});

test("a call that waits for input in another request holds no slot meanwhile", async () => {
  const { host } = await openSlotGateway();
  const meta = { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const sent = (id: number, more = {}) => {
    const message = toolCallMessage(id, "ask", meta);
    return postToHost(host, { ...message, params: { ...message.params, ...more } }, modernHeaders("ask"));
  };
  const states: unknown[] = [];
  for (const id of [10, 11, 12, 13]) {
    const { status, body } = await sent(id);
    const result = body.result as { readonly resultType: string; readonly requestState: string };
    expect([status, result.resultType]).toEqual([200, "input_required"]);
    states.push(result.requestState);
  }
  for (const requestState of states) {
    const inputResponses = { sure: { action: "accept", content: {} } };
    expect((await sent(20, { requestState, inputResponses })).text).toContain("accept");
  }
});

test("a call that continues as a task holds its slot, and can be queried and cancelled", async () => {
  const { host, held, signals, letGo } = await openSlotGateway({}, { taskAfterMs: 1 });
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const meta = { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": capabilities };
  const tasks: string[] = [];
  for (const id of [10, 11, 12]) {
    const { body } = await postToHost(host, toolCallMessage(id, "wait", meta), modernHeaders("wait"));
    tasks.push((body.result as { readonly taskId: string }).taskId);
  }
  expect(held).toHaveLength(3);
  expect(await postToHost(host, toolCallMessage(13, "say", meta), modernHeaders("say"))).toMatchObject(
    slotsFullResponse,
  );
  const about = (method: string, taskId: string) =>
    postToHost(
      host,
      { jsonrpc: "2.0", id: 14, method, params: { taskId, _meta: meta } },
      { ...modernHeaders(taskId), "mcp-method": method },
    );
  expect((await about("tasks/get", tasks[0]!)).body.result).toMatchObject({ status: "working" });
  expect((await about("tasks/cancel", tasks[0]!)).status).toBe(200);
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  letGo();
  const again = async () =>
    (await postToHost(host, toolCallMessage(15, "say", meta), modernHeaders("say"))).status;
  await waitFor(async () => expect(await again()).toBe(200));
});

test("open connections take no slots of calls and have their own limit", async () => {
  const { host } = await openSlotGateway();
  for (let count = 0; count < 3; count++) await openSocket(host);
  await expect(openSocket(host)).rejects.toThrow("503");
  const headers = await openMcpHttpSession(host);
  expect((await postToHost(host, toolCallMessage(10), headers)).status).toBe(200);
});
