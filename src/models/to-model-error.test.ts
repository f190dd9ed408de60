import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ModelError, ToolCancelledError } from "../types/errors.ts";
import { toModelError } from "./to-model-error.ts";

const id = "openai/gpt-x";
const openai = (status: number, error: object, headers: Record<string, string> = {}) =>
  OpenAI.APIError.generate(status, { error }, undefined, new Headers(headers));
const anthropic = (status: number, error: object, headers: Record<string, string> = {}) =>
  Anthropic.APIError.generate(status, { type: "error", error }, undefined, new Headers(headers));

describe("toModelError code", () => {
  it.each([
    [401, "model_unauthorized", false],
    [403, "model_unauthorized", false],
    [429, "model_rate_limited", true],
    [408, "model_overloaded", true],
    [409, "model_overloaded", true],
    [500, "model_overloaded", true],
    [503, "model_overloaded", true],
    [529, "model_overloaded", true],
    [413, "model_context_exceeded", false],
    [400, "model_bad_request", false],
    [404, "model_bad_request", false],
    [422, "model_bad_request", false],
  ])("maps status %i to %s", (status, code, retryable) => {
    for (const error of [
      openai(status, { message: "no" }),
      anthropic(status, { type: "x", message: "no" }),
      Object.assign(new Error("no"), { name: "ResponseError", status_code: status }),
      Object.assign(new Error("no"), { name: "ApiError", status }),
      Object.assign(new Error("no"), { name: "AI_APICallError", statusCode: status }),
    ]) {
      const found = toModelError(id, error);
      expect([found.code, found.retryable]).toEqual([code, retryable]);
    }
  });

  it.each([
    [openai(400, { message: "Too long", code: "context_length_exceeded" })],
    [openai(400, { message: "This model's maximum context length is 8192 tokens." })],
    [
      anthropic(400, {
        type: "invalid_request_error",
        message: "prompt is too long: 210000 tokens > 200000",
      }),
    ],
    [anthropic(400, { message: "input length and `max_tokens` exceed context limit: 190000 + 20000" })],
    [
      Object.assign(new Error('{"error":{"message":"The input token count (9) exceeds the maximum"}}'), {
        status: 400,
      }),
    ],
  ])("reports model_context_exceeded for %s", (error) => {
    expect(toModelError(id, error).code).toBe("model_context_exceeded");
  });

  it("reports model_bad_request for a setting that is too large", () => {
    const error = anthropic(400, {
      message: "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
    });
    expect(toModelError(id, error).code).toBe("model_bad_request");
  });

  it("reports model_unauthorized for an invalid key with status 400", () => {
    const body = { error: { code: 400, message: "API key not valid. Please pass a valid API key." } };
    const error = Object.assign(new Error(JSON.stringify(body)), { name: "ApiError", status: 400 });
    expect(toModelError(id, error).code).toBe("model_unauthorized");
  });

  it.each([
    ["model_overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["model_rate_limited", { type: "rate_limit_error", message: "slow" }],
    ["model_overloaded", { type: "api_error", message: "oops" }],
    ["model_unauthorized", { type: "authentication_error", message: "who" }],
  ])("reports %s for an error within a stream by its type", (code, error) => {
    const thrown = new Anthropic.APIError(
      undefined,
      { type: "error", error },
      undefined,
      new Headers(),
      undefined,
    );
    expect(toModelError(id, thrown).code).toBe(code);
  });

  it.each([
    [new OpenAI.APIConnectionError({ cause: new Error("x") })],
    [new OpenAI.APIConnectionTimeoutError()],
    [new Anthropic.APIConnectionError({ message: "Connection error." })],
    [new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) })],
    [new TypeError("terminated", { cause: Object.assign(new Error("x"), { code: "UND_ERR_SOCKET" }) })],
    [Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })],
    [new Error("socket hang up")],
    [new DOMException("The operation timed out", "TimeoutError")],
  ])("reports model_unreachable for the broken connection %s", (error) => {
    const found = toModelError(id, error);
    expect([found.code, found.retryable]).toEqual(["model_unreachable", true]);
  });

  it.each([
    [new SyntaxError("Unexpected token < in JSON")],
    [new TypeError("Cannot read properties of undefined (reading 'choices')")],
    [Object.assign(new Error("Invalid JSON response"), { name: "AI_APICallError", statusCode: 200 })],
    ["a string"],
    [undefined],
  ])("reports model_unreadable for %s", (error) => {
    const found = toModelError(id, error);
    expect([found.code, found.retryable]).toEqual(["model_unreadable", true]);
  });

  it.each([
    [new OpenAI.APIUserAbortError()],
    [new Anthropic.APIUserAbortError()],
    [new DOMException("", "AbortError")],
  ])("reports a cancellation for %s", (error) => {
    expect(toModelError(id, error)).toBeInstanceOf(ToolCancelledError);
  });

  it("does not accept an error code of the provider as a cancellation", () => {
    expect(toModelError(id, openai(500, { message: "x", code: "AbortError" })).code).toBe("model_overloaded");
  });

  it("returns a ModelError as it is", () => {
    const own = new ModelError("model_unreadable", "x");
    expect(toModelError(id, own)).toBe(own);
  });

  it("returns an error for any thrown value without throwing", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withMap: true }), (thrown) => {
        expect(toModelError(id, thrown).message.startsWith(id)).toBe(true);
      }),
      { numRuns: 500 },
    );
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
        has: () => {
          throw new Error("no");
        },
      },
    );
    expect(toModelError(id, hostile).code).toBe("model_unreadable");
  });
});

describe("toModelError retryAfterMs", () => {
  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ date: "Thu, 01 Jan 1970 00:00:10 GMT", "retry-after": "Thu, 01 Jan 1970 00:00:40 GMT" }, 30_000],
    [{ "retry-after": "999999999" }, 3_600_000],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{}, undefined],
  ])("reads %o as %s ms", (headers, wait) => {
    expect(toModelError(id, openai(429, { message: "slow" }, headers)).failure.retryAfterMs).toBe(wait);
    expect(toModelError(id, anthropic(529, { message: "busy" }, headers)).failure.retryAfterMs).toBe(wait);
  });

  it("accepts plain header objects", () => {
    const error = Object.assign(new Error("slow"), {
      statusCode: 429,
      responseHeaders: { "Retry-After": "3" },
    });
    expect(toModelError(id, error).failure.retryAfterMs).toBe(3_000);
  });

  it("reads a delay from the body when no header has one", () => {
    const body = { error: { code: 429, details: [{ retryDelay: "34s" }], message: "slow" } };
    const error = Object.assign(new Error(JSON.stringify(body)), { status: 429 });
    expect(toModelError(id, error).failure.retryAfterMs).toBe(34_000);
  });

  it("is not set for an exhausted quota with status 429", () => {
    const found = toModelError(
      id,
      openai(429, { message: "x", code: "insufficient_quota" }, { "retry-after": "1" }),
    );
    expect([found.code, found.retryable, found.failure.retryAfterMs]).toEqual([
      "model_rate_limited",
      false,
      undefined,
    ]);
  });
});

describe("toModelError message", () => {
  it("names the model, the problem and the message of the provider", () => {
    const found = toModelError(
      id,
      openai(404, { message: "The model `gpt-x` does not exist" }, { "x-request-id": "req_1" }),
    );
    expect(found.message).toBe(
      "openai/gpt-x: the provider rejected the request. Provider message: The model `gpt-x` does not exist",
    );
    expect(found.failure.detail).toBe("status 404, request req_1");
  });

  it("contains no key, and the cause of a rejected key is dropped", () => {
    const key = "sk-proj-abcdefghijklmnop1234567890";
    for (const status of [400, 401, 403, 429, 500]) {
      for (const said of [`Incorrect API key provided: ${key}.`, `bad header Authorization: Bearer ${key}`]) {
        const found = toModelError(id, openai(status, { message: said }));
        expect(found.message).not.toContain(key);
        expect(JSON.stringify(found.failure.detail ?? "")).not.toContain(key);
      }
    }
    expect(toModelError(id, openai(401, { message: key })).cause).toBeUndefined();
  });

  it("is truncated when the provider message is long", () => {
    expect(toModelError(id, openai(400, { message: "x".repeat(50_000) })).message.length).toBeLessThan(500);
  });
});
