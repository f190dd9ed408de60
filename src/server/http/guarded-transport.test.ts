import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { HttpError } from "../request/http-error.ts";
import type { AdmittedMessage, SocketContext } from "./host-options.ts";
import { guardTransport } from "./mount-mcp.ts";

type Verdict = AdmittedMessage | HttpError;

const scene = () => {
  const asked: { readonly method: string; readonly say: (verdict: Verdict) => void }[] = [];
  const answered: [string, number][] = [];
  const sent: JSONRPCMessage[] = [];
  const taken: JSONRPCMessage[] = [];
  const did: unknown[] = [];
  let end: ((why: HttpError) => void) | undefined;
  const inner: Transport = {
    start: async () => {},
    send: async (message) => void sent.push(message),
    close: async () => {},
  };
  const visit: SocketContext = {
    principal: { agent: "ada" },
    maxBodyBytes: 1000,
    drainMs: 60_000,
    admit: (method) => new Promise((resolve) => asked.push({ method, say: resolve })),
    onEnd: (listener) => {
      end = listener;
    },
    closed: () => {},
  };
  const { transport: outer } = guardTransport(inner, visit, {
    close: (code, reason) => did.push([code, reason]),
    pause: () => did.push("pause"),
    resume: () => did.push("resume"),
  });
  outer.onmessage = (message) => void taken.push(message);
  const letIn = (method: string): Verdict => ({
    answered: (status) => void answered.push([method, status]),
  });
  const come = (message: JSONRPCMessage): void => inner.onmessage?.(message);
  return {
    inner,
    outer,
    asked,
    answered,
    sent,
    taken,
    did,
    letIn,
    come,
    end: (why: HttpError) => end?.(why),
  };
};

const request = (id: number, method = "tools/call"): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {},
});
const turn = () => new Promise((resolve) => setImmediate(resolve));
const expiredError = (message = "The token expired.") => new HttpError(401, "invalid_token", message);

test("keeps the order of messages and pauses the client while the first one waits for admission", async () => {
  const { asked, taken, did, letIn, come } = scene();
  for (let id = 1; id <= 20; id++) come(request(id));
  expect(asked).toHaveLength(1);
  expect(did).toEqual(["pause"]);
  for (let id = 1; id <= 20; id++) {
    asked[id - 1]!.say(letIn("tools/call"));
    await turn();
  }
  expect(taken.map((message) => ("id" in message ? message.id : undefined))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  expect(did).toEqual(["pause", "resume"]);
});

test("ends a request that is answered, cancelled or left open by its client", async () => {
  const { inner, outer, asked, answered, letIn, come } = scene();
  for (const id of [1, 2, 3]) {
    come(request(id, `m${id}`));
    asked.at(-1)!.say(letIn(`m${id}`));
    await turn();
  }
  await outer.send({ jsonrpc: "2.0", id: 1, result: {} });
  expect(answered).toEqual([["m1", 200]]);
  come({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  asked.at(-1)!.say(letIn("notifications/cancelled"));
  await turn();
  inner.onclose?.();
  expect(answered.slice(1).toSorted()).toEqual([
    ["m2", 499],
    ["m3", 499],
    ["notifications/cancelled", 202],
  ]);
});

test("ignores a cancellation that the SDK does not accept", async () => {
  const { asked, answered, letIn, come } = scene();
  come(request(1, "m1"));
  asked.at(-1)!.say(letIn("m1"));
  await turn();
  come({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: 5 } } as never);
  asked.at(-1)!.say(letIn("other"));
  await turn();
  expect(answered).toEqual([["other", 202]]);
});

test("closes a socket whose token has expired despite an open subscription", async () => {
  const { asked, did, letIn, come, end } = scene();
  come(request(1, "subscriptions/listen"));
  asked.at(-1)!.say(letIn("subscriptions/listen"));
  await turn();
  end(expiredError());
  expect(did).toEqual([[1008, "The token expired."]]);
});

test("answers a refused message under its own id and does not pass it on", async () => {
  const { asked, sent, taken, did, come } = scene();
  come(request(7));
  asked[0]!.say(new HttpError(429, "too_many_requests", "Wait.", { headers: { "retry-after": "3" } }));
  await turn();
  expect(sent).toEqual([
    {
      jsonrpc: "2.0",
      id: 7,
      error: {
        code: -32_000,
        message: "Wait.",
        data: { status: 429, error: "too_many_requests", retryAfterSec: 3 },
      },
    },
  ]);
  expect(taken).toEqual([]);
  expect(did).toEqual([]);
});

test("runs nothing for a message that is admitted after its socket closed", async () => {
  const { inner, asked, answered, taken, letIn, come } = scene();
  come(request(1, "m1"));
  inner.onclose?.();
  asked[0]!.say(letIn("m1"));
  await turn();
  expect(taken).toEqual([]);
  expect(answered).toEqual([["m1", 499]]);
});

test("answers a message with the reason when it is admitted after its token expired", async () => {
  const { asked, answered, sent, taken, did, letIn, come, end } = scene();
  come(request(1, "m1"));
  end(expiredError());
  asked[0]!.say(letIn("m1"));
  await turn();
  expect(taken).toEqual([]);
  expect(answered).toEqual([["m1", 401]]);
  expect(sent).toMatchObject([{ id: 1, error: { message: "The token expired." } }]);
  expect(did).toEqual([[1008, "The token expired."]]);
});

test("truncates the reason of a close frame to its maximum length", () => {
  const { did, end } = scene();
  end(expiredError("ü".repeat(200)));
  const [[, reason]] = did as [[number, string]];
  expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
});
