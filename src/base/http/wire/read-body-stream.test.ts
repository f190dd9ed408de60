import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { loopbackServer } from "../../../../test/loopback-server.ts";
import type { HttpEgressRequest, HttpEgressResponse, RequestError } from "../http-egress.ts";
import { openHttpEgress } from "../open-http-egress.ts";

const asked = (
  answer: RequestListener,
  request: Partial<HttpEgressRequest> = {},
): Effect.Effect<HttpEgressResponse, RequestError> =>
  Effect.gen(function* () {
    const server = yield* loopbackServer(answer);
    const client = yield* openHttpEgress({ allow: [server.place] }).pipe(Effect.orDie);
    return yield* client.request({ url: server.origin, ...request });
  }).pipe(Effect.scoped);

const bodyOf = (effect: Effect.Effect<HttpEgressResponse, RequestError>): Promise<string> =>
  Effect.runPromise(Effect.map(effect, ({ body }) => Buffer.from(body).toString()));

const errorOf = (effect: Effect.Effect<HttpEgressResponse, RequestError>): Promise<RequestError> =>
  Effect.runPromise(Effect.flip(effect));

const packed =
  (encoding: string, body: Uint8Array, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-encoding": encoding }).end(body);

describe("response body", () => {
  it.each([
    ["gzip", gzipSync("hello")],
    ["X-GZIP", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["identity", Buffer.from("hello")],
  ])("with encoding %s is decompressed", async (encoding, body) => {
    expect(await bodyOf(asked(packed(encoding, body)))).toBe("hello");
  });

  it("is accepted at the size limit and rejected one byte above it", async () => {
    const answer: RequestListener = (_, response) => void response.end("x".repeat(1000));
    expect(await bodyOf(asked(answer, { maxBytes: 1000 }))).toHaveLength(1000);
    expect(await errorOf(asked(answer, { maxBytes: 999 }))).toMatchObject({
      code: "outside_refused",
      failure: { ran: true },
    });
  });

  it("without end is rejected as soon as it passes the limit", async () => {
    const answer: RequestListener = (_, response) => {
      const more = () => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", more);
      more();
    };
    expect(await errorOf(asked(answer))).toMatchObject({ code: "outside_refused" });
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ["br", brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), { params: { 1: 1 } })],
  ])("that is a %s bomb is rejected before it is fully decompressed", async (encoding, bomb) => {
    const before = process.memoryUsage().arrayBuffers;
    expect(bomb.byteLength).toBeLessThan(200_000);
    expect(await errorOf(asked(packed(encoding, bomb)))).toMatchObject({ code: "outside_refused" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it("that is an endless sequence of empty gzip members is rejected", async () => {
    const empty = Buffer.concat(new Array(20_000).fill(gzipSync("")));
    expect(await errorOf(asked(packed("gzip", empty), { maxBytes: 1000 }))).toMatchObject({
      code: "outside_refused",
    });
  });

  it("with two encodings or an unknown one fails without retry", async () => {
    for (const encoding of ["gzip, gzip", "compress", "constructor"]) {
      const error = await errorOf(asked(packed(encoding, gzipSync("hello"))));
      expect(error).toMatchObject({ code: "failed", failure: { ran: true, retryable: false } });
    }
  });

  it("that does not match its encoding fails", async () => {
    expect(await errorOf(asked(packed("gzip", Buffer.from("plain"))))).toMatchObject({ code: "failed" });
  });

  it("may be empty where HTTP allows it, whatever the encoding header says", async () => {
    expect(await bodyOf(asked(packed("gzip", new Uint8Array(), 204)))).toBe("");
    expect(await bodyOf(asked(packed("gzip", gzipSync("hello")), { method: "HEAD" }))).toBe("");
    expect(await bodyOf(asked(packed("gzip", new Uint8Array())))).toBe("");
  });

  it.each([
    ["before its content length", "content-length: 100\r\n\r\nshort"],
    ["between chunks", "transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n"],
    ["within a chunk", "transfer-encoding: chunked\r\n\r\nff\r\nshort"],
  ])("that ends %s fails with ran set", async (_, rest) => {
    const answer: RequestListener = (_request, response) =>
      void response.socket?.end(`HTTP/1.1 200 OK\r\n${rest}`);
    expect(await errorOf(asked(answer))).toMatchObject({
      code: "failed",
      retryable: true,
      failure: { ran: true },
    });
  });

  it("that ends within a gzip stream fails", async () => {
    const whole = gzipSync(Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251)));
    expect(await errorOf(asked(packed("gzip", whole.subarray(0, -20))))).toMatchObject({ code: "failed" });
  });
});

describe("broken connection", () => {
  it("reset after the request fails with ran set", async () => {
    const answer: RequestListener = (_, response) => void response.socket?.resetAndDestroy();
    expect(await errorOf(asked(answer, { method: "POST" }))).toMatchObject({
      code: "failed",
      failure: { ran: true },
    });
  });

  it("to a closed port fails with ran unset", async () => {
    const error = Effect.gen(function* () {
      const server = yield* Effect.scoped(loopbackServer(() => {}));
      const client = yield* openHttpEgress({ allow: [server.place] });
      return yield* Effect.flip(client.request({ url: server.origin, method: "POST" }));
    }).pipe(Effect.scoped, Effect.runPromise);
    expect(await error).toMatchObject({ code: "failed", retryable: true, failure: { ran: false } });
    expect((await error).message).toContain("ECONNREFUSED");
  });

  it("that is not HTTP fails, and its bytes do not appear in the error", async () => {
    const error = await errorOf(asked((_, response) => void response.socket?.end("SSH-2.0-canary\r\n\r\n")));
    expect(error).toMatchObject({ code: "failed" });
    expect(JSON.stringify(error.failure)).not.toContain("canary");
    expect(error.cause).toBeUndefined();
  });

  it("with endless headers is rejected", async () => {
    const answer: RequestListener = (_, response) =>
      void response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(40_000)}\r\n\r\n`);
    expect(await errorOf(asked(answer))).toMatchObject({ code: "outside_refused" });
  });
});
