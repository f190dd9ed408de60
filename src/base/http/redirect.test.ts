import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { describe, expect, it } from "vitest";
import { loopbackServer } from "../../../test/loopback-server.ts";
import { allowList } from "./address.ts";
import type { HttpMethod } from "./http-egress.ts";
import { openHttpEgress } from "./open-http-egress.ts";
import { nextHop, type RequestHop } from "./url.ts";

const run = <A, E>(effect: Effect.Effect<A, E, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect));

const hop = (url: string, method: HttpMethod = "GET"): RequestHop => ({
  url: new URL(url),
  method,
  headers: new Headers({
    accept: "application/json",
    authorization: "Bearer canary",
    "content-type": "application/json",
    cookie: "session=canary",
    "x-api-key": "canary",
  }),
  body: method === "GET" ? undefined : "{}",
});

describe("nextHop", () => {
  it.each<[number, HttpMethod, HttpMethod]>([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [302, "PUT", "PUT"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("for status %i turns %s into %s", (status, method, expected) => {
    const next = nextHop(hop("https://a.example/x", method), status, "/y", allowList([])) as RequestHop;
    expect(next.method).toBe(expected);
    expect(next.url.href).toBe("https://a.example/y");
    const turned = method !== expected;
    expect(next.body).toBe(turned ? undefined : "{}");
    expect(next.headers.has("content-type")).toBe(!turned);
    expect(next.headers.get("authorization")).toBe("Bearer canary");
  });

  it.each([
    "https://b.example/",
    "https://a.example:8443/",
    "//b.example/",
    "https://a.example.evil.example/",
  ])("removes all credentials for another origin: %s", (location) => {
    const next = nextHop(hop("https://a.example/", "POST"), 307, location, allowList([])) as RequestHop;
    expect([...next.headers.keys()]).toEqual(["accept", "content-type"]);
  });

  it("rejects a redirect from https: to http:", () => {
    const next = nextHop(hop("https://a.example/"), 302, "http://a.example/", allowList([]));
    expect(next).toMatchObject({ code: "outside_refused" });
  });

  it("rejects a redirect from a public host into the allow list and follows one within the allow list", () => {
    const allow = allowList(["a.intranet:80", "b.intranet:80"]);
    expect(nextHop(hop("http://public.example/"), 302, "http://b.intranet/", allow)).toMatchObject({
      code: "outside_refused",
    });
    expect(nextHop(hop("http://a.intranet/"), 302, "http://b.intranet/", allow)).toMatchObject({
      method: "GET",
    });
  });
});

describe("redirects", () => {
  it("follows three redirects and rejects the fourth", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((request, response) => {
          const left = Number(request.url?.slice(1));
          if (left === 0) return void response.end("arrived");
          return void response.writeHead(302, { location: `/${left - 1}` }).end("an unread body");
        });
        const client = yield* openHttpEgress({ allow: [server.place] });
        const response = yield* client.request({ url: `${server.origin}/3`, maxBytes: 10 });
        expect(response.url).toBe(`${server.origin}/0`);
        const error = yield* Effect.flip(client.request({ url: `${server.origin}/4` }));
        expect(error).toMatchObject({ code: "outside_refused", failure: { ran: true } });
        expect(server.seen.map(({ url }) => url)).toEqual(["/3", "/2", "/1", "/0", "/4", "/3", "/2", "/1"]);
      }),
    ));

  it("stops a redirect loop after three redirects", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer(
          (_, response) => void response.writeHead(307, { location: "/" }).end(),
        );
        const client = yield* openHttpEgress({ allow: [server.place] });
        expect(yield* Effect.flip(client.request({ url: server.origin }))).toMatchObject({
          code: "outside_refused",
        });
        expect(server.seen).toHaveLength(4);
      }),
    ));

  it("follows no redirect when redirects is 0", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer(
          (_, response) => void response.writeHead(302, { location: "/x" }).end(),
        );
        const client = yield* openHttpEgress({ allow: [server.place] });
        const error = yield* Effect.flip(client.request({ url: server.origin, redirects: 0 }));
        expect(error).toMatchObject({ code: "outside_refused" });
        expect(server.seen).toHaveLength(1);
      }),
    ));

  it("forwards body and key to the same origin and only the body to another", () =>
    run(
      Effect.gen(function* () {
        const other = yield* loopbackServer((_, response) => void response.end("ok"));
        const server = yield* loopbackServer((request, response) => {
          const location = request.url === "/" ? "/again" : other.origin;
          response.writeHead(307, { location }).end();
        });
        const client = yield* openHttpEgress({ allow: [server.place, other.place] });
        yield* client.request({
          url: server.origin,
          method: "POST",
          headers: { "x-api-key": "canary", authorization: "Bearer canary" },
          body: "payload",
          idempotent: true,
        });
        expect(server.seen[1]).toMatchObject({ headers: { "x-api-key": "canary" }, body: "payload" });
        expect(other.seen[0]).toMatchObject({ method: "POST", body: "payload" });
        expect(JSON.stringify(other.seen)).not.toContain("canary");
      }),
    ));

  it.each([{}, { idempotent: false }])(
    "returns a redirect that would repeat the POST for a request with %j and follows one that turns it into a GET",
    (asked) =>
      run(
        Effect.gen(function* () {
          const server = yield* loopbackServer((request, response) => {
            const status = request.url === "/kept" ? 307 : 303;
            if (request.method === "GET") return void response.end("ok");
            return void response.writeHead(status, { location: "/there" }).end();
          });
          const client = yield* openHttpEgress({ allow: [server.place] });
          const send = (path: string) =>
            client.request({ url: server.origin + path, method: "POST", body: "payload", ...asked });
          const kept = yield* send("/kept");
          expect({ status: kept.status, url: kept.url }).toEqual({
            status: 307,
            url: `${server.origin}/kept`,
          });
          expect((yield* send("/turned")).status).toBe(200);
          expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
            "POST /kept",
            "POST /turned",
            "GET /there",
          ]);
        }),
      ),
  );

  it("returns a redirect status without a location as the response", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => void response.writeHead(302).end("where?"));
        const client = yield* openHttpEgress({ allow: [server.place] });
        const response = yield* client.request({ url: server.origin });
        expect(response.status).toBe(302);
        expect(Buffer.from(response.body).toString()).toBe("where?");
      }),
    ));
});
