import { Haft, tool } from "haft";
import { describe, expect, test } from "vitest";
import { servedBy } from "../../src/gateway/served-by.ts";
import { mountMcp } from "../../src/server/mount-mcp.ts";
import { bearer, hostScene } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import { ada, bob } from "./gateway-scene.ts";
import {
  call,
  cancel,
  full,
  gateway,
  initialize,
  modern,
  modernHeaders,
  post,
  session,
  socketOf,
  streaming,
} from "./places-scene.ts";

describe("a call keeps its place until it is over, though its client", () => {
  test("hangs up in a session, where the call goes on", async () => {
    const { host, held, letGo } = await gateway();
    const headers = await session(host);
    for (const id of [10, 11, 12]) {
      const { hangUp } = streaming(host, call(id, "wait"), headers);
      await waitFor(() => expect(held.length).toBe(id - 9));
      hangUp();
      await waitFor(() => expect(host.lines.length).toBe(id - 8));
    }
    expect(await post(host, call(13), headers)).toMatchObject(full);
    expect((await post(host, initialize(1), bearer(bob))).status).toBe(200);
    letGo();
    await waitFor(async () => expect((await post(host, call(14), headers)).status).toBe(200));
  });

  test("hangs up on a request that stands alone, and its code does not hear that it should stop", async () => {
    const { host, held, signals, letGo } = await gateway();
    for (const id of [10, 11, 12]) {
      const { hangUp } = streaming(host, call(id, "wait", modern), modernHeaders("wait"));
      await waitFor(() => expect(held.length).toBe(id - 9));
      hangUp();
      await waitFor(() => expect(signals.at(-1)!.aborted).toBe(true));
    }
    expect(await post(host, call(13, "say", modern), modernHeaders("say"))).toMatchObject(full);
    letGo();
    const again = async () => (await post(host, call(14, "say", modern), modernHeaders("say"))).status;
    await waitFor(async () => expect(await again()).toBe(200));
  });

  test("cuts its socket", async () => {
    const { host, held, letGo } = await gateway();
    for (const count of [1, 2, 3]) {
      const { socket, open, send } = await socketOf(host);
      await open();
      send(call(10, "wait"));
      await waitFor(() => expect(held.length).toBe(count));
      socket.terminate();
      const closes = () => host.lines.filter(({ method }) => method === "close").length;
      await waitFor(async () => expect(await closes()).toBe(count));
    }
    const { send, answer } = await socketOf(host);
    send(initialize(1));
    expect((await answer(1)).error).toMatchObject({ data: full.body });
    letGo();
    await waitFor(async () => expect((await post(host, initialize(1), {})).status).toBe(200));
  });

  test("sent it in a batch and hangs up", async () => {
    const { host, held, letGo } = await gateway();
    const begun = await post(
      host,
      { ...initialize(1), params: { ...initialize(1).params, protocolVersion: "2025-03-26" } },
      {},
    );
    const headers = { "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    const { hangUp } = streaming(host, [call(10, "wait"), call(11, "wait"), call(12, "wait")], headers);
    await waitFor(() => expect(held.length).toBe(3));
    hangUp();
    await waitFor(() => expect(host.lines.length).toBe(2));
    expect(await post(host, call(13), headers)).toMatchObject(full);
    letGo();
    await waitFor(async () => expect((await post(host, call(14), headers)).status).toBe(200));
  });
});

test("code that ignores its signal keeps the place of its call, though the call is over", async () => {
  const held: (() => void)[] = [];
  const stubborn = tool({
    name: "stubborn",
    description: "Does not stop.",
    input: { type: "object", properties: {} },
    run: () => new Promise<string>((resolve) => held.push(() => resolve("at last"))),
  });
  const say = tool({
    name: "say",
    description: "Says.",
    input: { type: "object", properties: {} },
    run: () => "said",
  });
  await using haft = await Haft.open({ tools: [stubborn, say], principal: { agent: "ada" } });
  const served = await servedBy(haft, { info: { name: "t", version: "1" } });
  const host = await hostScene({
    auth: { kind: "tokens", tokens: [{ token: ada, principal: { agent: "ada", allow: ["**"] } }] },
    maxConcurrent: 4,
    ...mountMcp(served),
  });
  for (const id of [10, 11, 12]) {
    const { hangUp } = streaming(host, call(id, "stubborn", modern), modernHeaders("stubborn"));
    await waitFor(() => expect(held.length).toBe(id - 9));
    hangUp();
    await waitFor(() => expect(host.lines.length).toBe(id - 9));
  }
  const again = () => post(host, call(14, "say", modern), modernHeaders("say"));
  await waitFor(async () =>
    expect((await haft.log()).filter(({ ending }) => ending !== "open").length).toBe(3),
  );
  expect(await again()).toMatchObject(full);
  for (const end of held) end();
  await waitFor(async () => expect((await again()).status).toBe(200));
});

describe("a caller whose calls fill every place", () => {
  test("can cancel one of them over HTTP", async () => {
    const { host, held, signals } = await gateway();
    const headers = await session(host);
    for (const id of [10, 11, 12]) streaming(host, call(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(3));
    expect(await post(host, call(13), headers)).toMatchObject(full);
    expect((await post(host, cancel(11), headers)).status).toBe(202);
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can cancel one of them over a socket", async () => {
    const { host, held, signals } = await gateway();
    const { open, send, answer } = await socketOf(host);
    await open();
    for (const id of [10, 11, 12]) send(call(id, "wait"));
    await waitFor(() => expect(held.length).toBe(3));
    send(call(13));
    expect((await answer(13)).error).toMatchObject({ data: { status: 503 } });
    send(cancel(11));
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can answer what they ask over HTTP", async () => {
    const { host } = await gateway();
    const headers = await session(host);
    const streams = [10, 11, 12].map((id) => streaming(host, call(id, "ask"), headers));
    for (const { heard } of streams) {
      await waitFor(() => expect(heard.text).toContain("elicitation/create"));
      const question = heard.text.split("\n").find((line) => line.includes("elicitation/create"))!;
      const { id } = JSON.parse(question.replace(/^data: /, ""));
      const answered = await post(
        host,
        { jsonrpc: "2.0", id, result: { action: "accept", content: {} } },
        headers,
      );
      expect(answered.status).toBe(202);
      await waitFor(() => expect(heard.text).toContain("accept"));
    }
  });

  test("can answer what they ask over a socket", async () => {
    const { host } = await gateway();
    const { open, send, answer, got } = await socketOf(host);
    await open();
    for (const id of [10, 11, 12]) send(call(id, "ask"));
    const questions = () => got.filter(({ method }) => method === "elicitation/create");
    await waitFor(() => expect(questions().length).toBe(3));
    for (const { id } of questions()) send({ jsonrpc: "2.0", id, result: { action: "accept", content: {} } });
    for (const id of [10, 11, 12])
      expect((await answer(id)).result).toMatchObject({ content: expect.any(Array) });
  });

  test("starts no other call by sending it as something else", async () => {
    const { host, held, calls } = await gateway();
    const headers = await session(host);
    for (const id of [10, 11, 12]) streaming(host, call(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(3));
    for (const body of [
      [cancel(99), call(13)],
      { ...call(14), result: {} },
      { ...call(15), id: 1.5 },
      {},
      "text",
    ])
      expect((await post(host, body, headers)).status).toBe(503);
    expect(calls).toHaveLength(3);
  });
});

describe("a caller that is over its rate", () => {
  const rate = { perMinute: 1, burst: 4 };

  test("can cancel what runs over HTTP, once, and nothing else", async () => {
    const { host, held, signals } = await gateway({ rate, now: () => 0 });
    const headers = await session(host);
    for (const id of [10, 11]) streaming(host, call(id, "wait"), headers);
    await waitFor(() => expect(held.length).toBe(2));
    expect((await post(host, cancel(99), headers)).status).toBe(202);
    for (const body of [cancel(99), call(12), { jsonrpc: "2.0", id: 5, result: {} }])
      expect((await post(host, body, headers)).status).toBe(429);
    expect((await post(host, cancel(10), headers)).status).toBe(202);
    expect((await post(host, cancel(10), headers)).status).toBe(429);
    await waitFor(() => expect(signals.filter(({ aborted }) => aborted).length).toBe(1));
  });

  test("can answer over a socket what it is asked, and nothing else", async () => {
    const { host } = await gateway({ rate, now: () => 0 });
    const { open, send, answer, got } = await socketOf(host);
    await open();
    send(call(10, "ask"));
    const questions = () => got.filter(({ method }) => method === "elicitation/create");
    await waitFor(() => expect(questions().length).toBe(1));
    send(call(11));
    expect((await answer(11)).error).toMatchObject({ data: { status: 429 } });
    send({ jsonrpc: "2.0", id: "never asked", result: {} });
    expect((await answer(null)).error).toMatchObject({ data: { status: 429 } });
    send({ jsonrpc: "2.0", id: questions()[0]!.id, result: { action: "accept", content: {} } });
    expect((await answer(10)).result).toMatchObject({ content: expect.any(Array) });
  });
});

test("a call that waits for an answer in another request holds no place meanwhile", async () => {
  const { host } = await gateway();
  const meta = { ...modern, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const sent = (id: number, more = {}) => {
    const message = call(id, "ask", meta);
    return post(host, { ...message, params: { ...message.params, ...more } }, modernHeaders("ask"));
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

test("a call that went on as a task holds its place, and can still be looked at and cancelled", async () => {
  const { host, held, signals, letGo } = await gateway({}, { taskAfterMs: 1 });
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const meta = { ...modern, "io.modelcontextprotocol/clientCapabilities": capabilities };
  const tasks: string[] = [];
  for (const id of [10, 11, 12]) {
    const { body } = await post(host, call(id, "wait", meta), modernHeaders("wait"));
    tasks.push((body.result as { readonly taskId: string }).taskId);
  }
  expect(held).toHaveLength(3);
  expect(await post(host, call(13, "say", meta), modernHeaders("say"))).toMatchObject(full);
  const about = (method: string, taskId: string) =>
    post(
      host,
      { jsonrpc: "2.0", id: 14, method, params: { taskId, _meta: meta } },
      { ...modernHeaders(taskId), "mcp-method": method },
    );
  expect((await about("tasks/get", tasks[0]!)).body.result).toMatchObject({ status: "working" });
  expect((await about("tasks/cancel", tasks[0]!)).status).toBe(200);
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  letGo();
  const again = async () => (await post(host, call(15, "say", meta), modernHeaders("say"))).status;
  await waitFor(async () => expect(await again()).toBe(200));
});

test("what stays open takes no place of calls, and has a bound of its own", async () => {
  const { host } = await gateway();
  for (let count = 0; count < 3; count++) await socketOf(host);
  await expect(socketOf(host)).rejects.toThrow("503");
  const headers = await session(host);
  expect((await post(host, call(10), headers)).status).toBe(200);
});
