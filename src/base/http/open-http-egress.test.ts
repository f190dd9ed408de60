import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { Scope } from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { loopbackServer } from "../../../test/loopback-server.ts";
import { openHttpEgress } from "./open-http-egress.ts";
import type { HostLookup } from "./wire/connector.ts";

const run = <A, E>(effect: Effect.Effect<A, E, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect));

describe("openHttpEgress", () => {
  it("returns status, headers and body of the response", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => {
          response.writeHead(201, { "x-answer": "yes" }).end("made");
        });
        const client = yield* openHttpEgress({ allow: [server.place] });
        const response = yield* client.request({
          url: `${server.origin}/things?a=1#part`,
          method: "POST",
          headers: { "x-ask": "please" },
          body: "thing",
        });
        expect(response.status).toBe(201);
        expect(response.headers.get("x-answer")).toBe("yes");
        expect(Buffer.from(response.body).toString()).toBe("made");
        expect(server.seen[0]).toMatchObject({
          method: "POST",
          url: "/things?a=1",
          body: "thing",
          headers: { "x-ask": "please", "user-agent": "haft" },
        });
      }),
    ));

  it("reuses the socket for a second request", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => void response.end("ok"));
        const client = yield* openHttpEgress({ allow: [server.place] });
        yield* client.request({ url: server.origin });
        // A socket becomes free one turn of the event loop after its response ended.
        yield* Effect.promise(() => setImmediate());
        yield* client.request({ url: server.origin });
        expect(server.connections()).toBe(1);
      }),
    ));

  it("returns an error status as a response", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => void response.writeHead(503).end("later"));
        const client = yield* openHttpEgress({ allow: [server.place] });
        expect((yield* client.request({ url: server.origin })).status).toBe(503);
      }),
    ));

  it("closes idle sockets with its scope, and a later request fails", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => void response.end("ok"));
        const client = yield* Effect.scoped(
          Effect.gen(function* () {
            const inner = yield* openHttpEgress({ allow: [server.place] });
            yield* inner.request({ url: server.origin });
            return inner;
          }),
        );
        yield* untilClosed(server);
        const error = yield* Effect.flip(client.request({ url: server.origin }));
        expect(error).toMatchObject({ code: "failed", message: "The HTTP client is closed." });
        expect(server.seen).toHaveLength(1);
      }),
    ));
});

const untilClosed = (server: { readonly sockets: ReadonlySet<Socket> }): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const left = new Set(server.sockets);
    if (left.size === 0) resume(Effect.void);
    for (const socket of left) {
      socket.once("close", () => {
        left.delete(socket);
        if (left.size === 0) resume(Effect.void);
      });
    }
  });

describe("openHttpEgress options", () => {
  it.each(["intranet.example", "http://a:80", "user@host:80", "host:80/path", "*", ""])(
    "rejects the allow list entry %j",
    (place) =>
      run(
        Effect.gen(function* () {
          const error = yield* Effect.flip(openHttpEgress({ allow: [place] }));
          expect(error).toMatchObject({ code: "invalid_config", _tag: "ConfigurationError" });
        }),
      ),
  );

  it.each([{ timeoutMs: 0 }, { maxBytes: Number.NaN }, { redirects: -1 }, { connectTimeoutMs: 1.5 }])(
    "rejects the limit %j",
    (limit) =>
      run(
        Effect.gen(function* () {
          expect(yield* Effect.flip(openHttpEgress(limit))).toMatchObject({ code: "invalid_config" });
        }),
      ),
  );
});

describe("deadline and cancellation", () => {
  it("closes the connection to a server that does not answer before the deadline", () =>
    run(
      Effect.gen(function* () {
        const asked = Promise.withResolvers<void>();
        const server = yield* loopbackServer(() => asked.resolve());
        const client = yield* openHttpEgress({ allow: [server.place] });
        const fiber = yield* Effect.forkChild(Effect.flip(client.request({ url: server.origin })));
        yield* Effect.promise(() => asked.promise);
        yield* TestClock.adjust("30 seconds");
        expect(yield* Fiber.join(fiber)).toMatchObject({ code: "timed_out", failure: { ran: true } });
        yield* untilClosed(server);
      }).pipe(Effect.provide(TestClock.layer())),
    ));

  it("stops reading a slow body at the deadline although bytes still arrive", () =>
    run(
      Effect.gen(function* () {
        const begun = Promise.withResolvers<void>();
        const server = yield* loopbackServer((_, response) => {
          response.writeHead(200).write("a");
          begun.resolve();
        });
        const client = yield* openHttpEgress({ allow: [server.place] });
        const fiber = yield* Effect.forkChild(
          Effect.flip(client.request({ url: server.origin, timeoutMs: 5_000 })),
        );
        yield* Effect.promise(() => begun.promise);
        yield* TestClock.adjust("5 seconds");
        expect(yield* Fiber.join(fiber)).toMatchObject({ code: "timed_out" });
        yield* untilClosed(server);
      }).pipe(Effect.provide(TestClock.layer())),
    ));

  it("applies one deadline to all redirects", () =>
    run(
      Effect.gen(function* () {
        const hops = [Promise.withResolvers<() => void>(), Promise.withResolvers<() => void>()];
        const server = yield* loopbackServer((request, response) => {
          const hop = request.url === "/" ? 0 : 1;
          hops[hop]!.resolve(() => void response.writeHead(302, { location: "/next" }).end());
        });
        const client = yield* openHttpEgress({ allow: [server.place] });
        const fiber = yield* Effect.forkChild(
          Effect.flip(client.request({ url: server.origin, timeoutMs: 1_000 })),
        );
        const answer = yield* Effect.promise(() => hops[0]!.promise);
        yield* TestClock.adjust("600 millis");
        answer();
        yield* Effect.promise(() => hops[1]!.promise);
        yield* TestClock.adjust("400 millis");
        expect(yield* Fiber.join(fiber)).toMatchObject({ code: "timed_out" });
      }).pipe(Effect.provide(TestClock.layer())),
    ));

  it("closes the socket when a request is cancelled", () =>
    run(
      Effect.gen(function* () {
        const asked = Promise.withResolvers<void>();
        const server = yield* loopbackServer(() => asked.resolve());
        const client = yield* openHttpEgress({ allow: [server.place] });
        const fiber = yield* Effect.forkChild(client.request({ url: server.origin }));
        yield* Effect.promise(() => asked.promise);
        expect(server.sockets.size).toBe(1);
        yield* Fiber.interrupt(fiber);
        yield* untilClosed(server);
        expect(server.sockets.size).toBe(0);
      }),
    ));

  it("closes the socket when a request is cancelled while its body streams", () =>
    run(
      Effect.gen(function* () {
        const begun = Promise.withResolvers<void>();
        const server = yield* loopbackServer((_, response) => {
          response
            .writeHead(200, { "content-encoding": "gzip" })
            .write(gzipSync("x".repeat(1000)).subarray(0, 10));
          begun.resolve();
        });
        const client = yield* openHttpEgress({ allow: [server.place] });
        const fiber = yield* Effect.forkChild(client.request({ url: server.origin }));
        yield* Effect.promise(() => begun.promise);
        yield* Fiber.interrupt(fiber);
        yield* untilClosed(server);
      }),
    ));

  it("does not send a request that was cancelled before its name resolved", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => void response.end());
        const asked = Promise.withResolvers<Parameters<HostLookup>[1]>();
        const loopback = { address: "127.0.0.1", family: 4 };
        let lookups = 0;
        const client = yield* openHttpEgress({
          allow: [`late.example:${server.port}`],
          lookup: (_, answer) => (++lookups === 1 ? asked.resolve(answer) : answer(null, [loopback])),
        });
        const origin = `http://late.example:${server.port}`;
        const fiber = yield* Effect.forkChild(client.request({ url: `${origin}/first`, method: "POST" }));
        const answer = yield* Effect.promise(() => asked.promise);
        yield* Fiber.interrupt(fiber);
        answer(null, [loopback]);
        yield* client.request({ url: `${origin}/second` });
        expect(server.seen.map(({ url }) => url)).toEqual(["/second"]);
      }),
    ));
});
