import { afterEach, describe, expect, test, vi } from "vitest";
import { fakeGatewayBackend } from "../../../../test/kit/fake-gateway-backend.ts";
import { bobPrincipal, openHttpGateway, type TestGateway } from "../../../../test/kit/gateway-clients.ts";
import { postModern } from "../../../../test/kit/post-modern.ts";
import {
  acceptedForm,
  elicitationCapability,
  elicitTwice,
  formElicitation,
} from "../../../../test/kit/two-elicitations.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await gateway?.close();
  gateway = undefined;
});

describe("requestState of a pending call", () => {
  const scene = (
    runs: NonNullable<Parameters<typeof fakeGatewayBackend>[0]>["runs"] = { greet: elicitTwice },
  ) => {
    const fake = fakeGatewayBackend({ runs: runs! });
    const own = openHttpGateway(fake.served, { holdMs: 60_000 });
    gateway = own;
    const call = (
      params: Record<string, unknown>,
      principal = undefined as typeof bobPrincipal | undefined,
    ) =>
      postModern(
        own.http,
        "tools/call",
        { name: "greet", arguments: {}, ...params },
        { capabilities: elicitationCapability, ...(principal === undefined ? {} : { principal }) },
      );
    return { ...fake, ...own, call };
  };

  test("comes with the requests of the server and changes in each round", async () => {
    const { call } = scene();
    const { result: one } = await call({});
    expect(one).toMatchObject({
      resultType: "input_required",
      inputRequests: { first: formElicitation("First name?") },
    });
    const { result: two } = await call({
      requestState: one?.requestState,
      inputResponses: { first: acceptedForm("Ada") },
    });
    expect(two).toMatchObject({
      resultType: "input_required",
      inputRequests: { last: formElicitation("Last name?") },
    });
    expect(two?.requestState).not.toBe(one?.requestState);
    expect(Buffer.from(two?.requestState?.split(".")[1] ?? "", "base64url")).toHaveLength(16);
    const done = await call({ requestState: two?.requestState, inputResponses: { last: acceptedForm("L") } });
    expect(done.result).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "Ada L" }],
    });
  });

  test("is refused when it was used or made up, and for another caller, tool or arguments", async () => {
    const { call, calls, http } = scene({ greet: elicitTwice, other: elicitTwice });
    const { result } = await call({});
    const retry = { requestState: result?.requestState, inputResponses: { first: acceptedForm("Ada") } };
    const refusals = [
      await call(retry, bobPrincipal),
      await call({ ...retry, name: "other" }),
      await call({ ...retry, arguments: { to: "eve" } }),
      await call({ ...retry, requestState: `${result?.requestState}A` }),
      await call({ ...retry, requestState: "" }),
      await call({ ...retry, requestState: "elsewhere.made-up" }),
    ];
    const answered = await call(retry);
    expect(answered.result).toMatchObject({ resultType: "input_required" });
    refusals.push(await call(retry));
    for (const { error } of refusals) {
      expect(error).toEqual({
        code: -32602,
        message: "Unknown requestState: it was already used, has expired, or belongs to another request.",
      });
    }
    expect(calls).toHaveLength(1);
    expect(http.gateway.heldCalls.size).toBe(1);
  });

  describe("of a gateway that has ended", () => {
    /** Sends the state of a call that waits at one gateway to another one. */
    const answerElsewhere = async (isWaiting: boolean) => {
      const fake = fakeGatewayBackend({ runs: { greet: elicitTwice } });
      const first = openHttpGateway(fake.served);
      const second = openHttpGateway({ ...fake.served, isWaiting: async () => isWaiting });
      gateway = { ...second, close: () => Promise.all([first.close(), second.close()]).then(() => {}) };
      const options = { capabilities: elicitationCapability };
      const { result } = await postModern(first.http, "tools/call", { name: "greet" }, options);
      const answer = { requestState: result?.requestState, inputResponses: { first: acceptedForm("Ada") } };
      const there = await postModern(second.http, "tools/call", { name: "greet", ...answer }, options);
      return { ...there, calls: fake.calls };
    };

    test("gets outcome_unknown, and its call is not repeated", async () => {
      const { result, calls } = await answerElsewhere(false);
      expect(result).toMatchObject({
        isError: true,
        _meta: { "haft/failure": { code: "outcome_unknown", retryable: false } },
      });
      expect(JSON.stringify(result?.content)).toContain("may have run");
      expect(calls).toHaveLength(1);
    });

    test("starts a call again that only waited for approval", async () => {
      const { result, calls } = await answerElsewhere(true);
      expect(result?.resultType).toBe("input_required");
      expect(calls).toHaveLength(2);
    });
  });

  test("requests missing and invalid answers again and keeps the valid ones", async () => {
    const { call } = scene({
      greet: async ({ caller, signal }) =>
        JSON.stringify(await caller.ask!({ a: formElicitation("A?"), b: formElicitation("B?") }, signal)),
    });
    const { result: first } = await call({});
    const { result: second } = await call({
      requestState: first?.requestState,
      inputResponses: { a: acceptedForm("1"), b: { nonsense: true }, c: acceptedForm("3") },
    });
    expect(Object.keys(second?.inputRequests ?? {})).toEqual(["b"]);
    const { result: third } = await call({ requestState: second?.requestState, inputResponses: null });
    expect(Object.keys(third?.inputRequests ?? {})).toEqual(["b"]);
    const done = await call({
      requestState: third?.requestState,
      inputResponses: { b: { action: "decline" } },
    });
    expect(done.result?.content).toEqual([
      { type: "text", text: JSON.stringify({ a: acceptedForm("1"), b: { action: "decline" } }) },
    ]);
  });

  test("expires together with its call", async () => {
    vi.useFakeTimers();
    const { call, calls, http } = scene();
    const { result } = await call({});
    expect(calls[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(http.gateway.heldCalls.size).toBe(0);
    const late = await call({
      requestState: result?.requestState,
      inputResponses: { first: acceptedForm("Ada") },
    });
    expect(late.error?.code).toBe(-32602);
  });

  test("outlives the connection that it came over", async () => {
    const { calls, http } = scene();
    const gone = new AbortController();
    const options = { capabilities: elicitationCapability, signal: gone.signal };
    const { result } = await postModern(http, "tools/call", { name: "greet" }, options);
    gone.abort();
    expect(calls[0]?.signal.aborted).toBe(false);
    const next = await postModern(
      http,
      "tools/call",
      {
        name: "greet",
        requestState: result?.requestState,
        inputResponses: { first: acceptedForm("Ada") },
      },
      { capabilities: elicitationCapability },
    );
    expect(next.result?.resultType).toBe("input_required");
  });

  test("is not issued when too many calls are pending", async () => {
    const fake = fakeGatewayBackend({
      runs: {
        greet: (call) =>
          call.caller.ask!({ a: formElicitation("A?") }, call.signal).catch((error) => error.message),
      },
    });
    const own = openHttpGateway(fake.served, { maxHeldPerCaller: 1 });
    gateway = own;
    const call = () =>
      postModern(own.http, "tools/call", { name: "greet" }, { capabilities: elicitationCapability });
    expect((await call()).result?.resultType).toBe("input_required");
    expect((await call()).result?.content).toEqual([
      { type: "text", text: "Too many calls are waiting for input." },
    ]);
  });

  test("covers all open requests, and requests with the same key one after the other", async () => {
    const { call } = scene({
      greet: async ({ caller, signal }) => {
        const [one, two, three] = await Promise.all([
          caller.ask!({ a: formElicitation("1?") }, signal),
          caller.ask!({ b: formElicitation("2?") }, signal),
          caller.ask!({ a: formElicitation("3?") }, signal),
        ]);
        return JSON.stringify([one.a, two.b, three.a]);
      },
    });
    const { result: first } = await call({});
    expect(first?.inputRequests).toEqual({ a: formElicitation("1?"), b: formElicitation("2?") });
    const { result: second } = await call({
      requestState: first?.requestState,
      inputResponses: { a: acceptedForm("x"), b: acceptedForm("y") },
    });
    expect(second?.inputRequests).toEqual({ a: formElicitation("3?") });
    const done = await call({ requestState: second?.requestState, inputResponses: { a: acceptedForm("z") } });
    expect(done.result?.content).toEqual([
      { type: "text", text: JSON.stringify([acceptedForm("x"), acceptedForm("y"), acceptedForm("z")]) },
    ]);
  });
});
