import { afterEach, expect, test, vi } from "vitest";
import { failureReply, fakeGatewayBackend } from "../../../../test/kit/fake-gateway-backend.ts";
import { bobPrincipal, openHttpGateway, type TestGateway } from "../../../../test/kit/gateway-clients.ts";
import { type ModernRequestOptions, postModern } from "../../../../test/kit/post-modern.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import type { BackendCall } from "../gateway-backend.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await gateway?.close();
  gateway = undefined;
});

const extension = "io.modelcontextprotocol/tasks";
const capabilities = { elicitation: {}, extensions: { [extension]: {} } };

const scene = (
  runs: Record<string, (call: BackendCall) => unknown>,
  options: Parameters<typeof openHttpGateway>[1] = {},
) => {
  const fake = fakeGatewayBackend({ runs });
  const own = openHttpGateway(fake.served, options);
  gateway = own;
  const post = (method: string, params: Record<string, unknown>, more: ModernRequestOptions = {}) =>
    postModern(own.http, method, params, { capabilities, ...more });
  return { ...fake, post, http: own.http };
};

/** Becomes a task, as backend servers report it, until the test ends it. */
const tasked = () => {
  const end = Promise.withResolvers<unknown>();
  return {
    end,
    run: (call: BackendCall) => {
      call.caller.tasked?.({ ttlMs: 60_000 });
      call.signal.addEventListener("abort", () => end.resolve("stopped"));
      return end.promise;
    },
  };
};

test("returns a task when the backend server continues a call as a task", async () => {
  const { run, end } = tasked();
  const { post, calls } = scene({ slow: run });
  const { result: made } = await post("tools/call", { name: "slow" });
  expect(made).toMatchObject({ resultType: "task", status: "working", ttlMs: 3_600_000 });
  expect(made).not.toHaveProperty("result");
  expect(made).not.toHaveProperty("requestState");
  const { taskId } = made!;
  const { result: working } = await post("tasks/get", { taskId });
  expect(working).toMatchObject({ resultType: "complete", taskId, status: "working" });
  end.resolve("computed");
  await waitFor(async () => {
    const { result } = await post("tasks/get", { taskId });
    expect(result).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "computed" }] },
    });
  });
  expect(calls).toHaveLength(1);
});

test("returns a task for a call that exceeds taskAfterMs", async () => {
  const slow = ({ signal }: BackendCall) =>
    new Promise((resolve) => signal.addEventListener("abort", resolve));
  const { post } = scene({ slow }, { taskAfterMs: 1 });
  expect((await post("tools/call", { name: "slow" })).result?.resultType).toBe("task");
});

test("returns no task for a call that ends in time", async () => {
  const { post } = scene({ quick: () => "q" }, { taskAfterMs: 600_000 });
  expect((await post("tools/call", { name: "quick" })).result?.resultType).toBe("complete");
});

test("completes a task for the failure of a tool, and fails it for a protocol error", async () => {
  const { post } = scene({
    wrong: async (call) => {
      call.caller.tasked?.({});
      await new Promise((resolve) => setImmediate(resolve));
      return failureReply(call, { code: "failed", message: "no luck" });
    },
    broken: async (call) => {
      call.caller.tasked?.({});
      await new Promise((resolve) => setImmediate(resolve));
      const cause = { code: -32603, message: "crashed" };
      return failureReply(call, { code: "mcp_protocol", message: "crashed", cause });
    },
  });
  const wrong = await post("tools/call", { name: "wrong" });
  const broken = await post("tools/call", { name: "broken" });
  const ended = async (taskId: unknown) => {
    let last: Awaited<ReturnType<typeof post>>["result"];
    await waitFor(async () => {
      last = (await post("tasks/get", { taskId })).result;
      expect(last?.status).not.toBe("working");
    });
    return last;
  };
  expect(await ended(wrong.result?.taskId)).toMatchObject({
    status: "completed",
    result: { isError: true },
  });
  expect(await ended(broken.result?.taskId)).toMatchObject({
    status: "failed",
    error: { code: -32603, message: "crashed" },
  });
});

test("stops a cancelled task, which can be cancelled again", async () => {
  const { post, calls } = scene({ slow: tasked().run });
  const { taskId } = (await post("tools/call", { name: "slow" })).result!;
  const { result } = await post("tasks/cancel", { taskId });
  expect(Object.keys(result ?? {}).sort()).toEqual(["_meta", "resultType"]);
  expect(calls[0]?.signal.aborted).toBe(true);
  expect((await post("tasks/get", { taskId })).result?.status).toBe("cancelled");
  expect((await post("tasks/cancel", { taskId })).result?.resultType).toBe("complete");
});

test("accepts the answers to input requests of a task one by one", async () => {
  const form = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object" } },
  };
  const { post } = scene({
    ask: async ({ caller, signal }) => {
      caller.tasked?.({});
      return JSON.stringify(await caller.ask!({ a: form, b: form }, signal));
    },
  });
  const { taskId } = (await post("tools/call", { name: "ask" })).result!;
  const stateOf = async () => (await post("tasks/get", { taskId })).result;
  expect(await stateOf()).toMatchObject({ status: "input_required", inputRequests: { a: form, b: form } });
  await post("tasks/update", { taskId, inputResponses: { a: { action: "decline" }, z: {} } });
  expect(Object.keys((await stateOf())?.inputRequests ?? {})).toEqual(["b"]);
  const { result } = await post("tasks/update", { taskId, inputResponses: { b: { action: "decline" } } });
  expect(result?.resultType).toBe("complete");
  await waitFor(async () => expect((await stateOf())?.status).toBe("completed"));
});

test("hides a task from other callers and from clients without the tasks extension", async () => {
  const { post } = scene({ slow: tasked().run });
  const { taskId } = (await post("tools/call", { name: "slow" })).result!;
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    expect((await post(method, { taskId }, { principal: bobPrincipal })).error?.code).toBe(-32602);
    expect((await post(method, { taskId: "made-up" })).error?.code).toBe(-32602);
    const { error, status } = await post(method, { taskId }, { capabilities: {} });
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    });
    expect(status).toBe(400);
  }
  expect((await post("tasks/get", { taskId })).result?.status).toBe("working");
  expect((await post("tasks/result", { taskId })).error?.code).toBe(-32601);
  expect((await post("tasks/list", {})).error?.code).toBe(-32601);
});

test("returns outcome_unknown for a task of a gateway that has ended", async () => {
  const { post } = scene({ slow: tasked().run });
  const { taskId } = (await post("tools/call", { name: "slow" })).result!;
  await gateway!.close();
  const next = scene({ slow: tasked().run });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    expect((await next.post(method, { taskId })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("may have run"),
      data: { "haft/failure": { code: "outcome_unknown" } },
    });
  }
  expect(next.calls).toEqual([]);
});

test("refuses a header that names another task", async () => {
  const { post } = scene({ slow: tasked().run });
  const { taskId } = (await post("tools/call", { name: "slow" })).result!;
  const { error, status } = await post("tasks/get", { taskId }, { headers: { "Mcp-Name": "another" } });
  expect([status, error?.code]).toEqual([400, -32020]);
});

test("returns the result to a client without the tasks extension", async () => {
  const { run, end } = tasked();
  const { post } = scene({ slow: run }, { taskAfterMs: 1 });
  const call = post("tools/call", { name: "slow" }, { capabilities: {} });
  end.resolve("computed");
  expect((await call).result).toMatchObject({
    resultType: "complete",
    content: [{ type: "text", text: "computed" }],
  });
});

test("removes a task after its TTL and cancels its call", async () => {
  vi.useFakeTimers();
  const { post, calls } = scene({ slow: tasked().run }, { taskTtlMs: 70_000 });
  const { taskId } = (await post("tools/call", { name: "slow" })).result!;
  await vi.advanceTimersByTimeAsync(69_999);
  expect((await post("tasks/get", { taskId })).result?.status).toBe("working");
  await vi.advanceTimersByTimeAsync(1);
  expect((await post("tasks/get", { taskId })).error?.code).toBe(-32602);
  expect(calls[0]?.signal.aborted).toBe(true);
});
