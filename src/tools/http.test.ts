import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../test/kit/effect-of.ts";
import { type LoopbackServer, loopbackServer } from "../../test/loopback-server.ts";
import { Credentials, credentials } from "../base/credentials/credentials.ts";
import type { SecretSource } from "../base/credentials/secret-source.ts";
import { HttpEgress } from "../base/http/http-egress.ts";
import { openHttpEgress } from "../base/http/open-http-egress.ts";
import type { CallContext } from "../types/call.ts";
import type { ToolError } from "../types/errors.ts";
import type { ToolSpec } from "../types/tool.ts";
import { type HttpOptions, http } from "./http.ts";

const canary = "canary-4b1d-secret";

const context = { callId: "call-1", tool: "t", idempotencyKey: "key-1" } as CallContext;

interface Scene<In> {
  readonly answer?: RequestListener;
  readonly options?: Partial<HttpOptions<In>>;
  readonly path?: string;
  readonly input?: unknown;
  readonly secrets?: SecretSource;
  readonly annotations?: ToolSpec["annotations"];
}

interface Seen {
  readonly server: LoopbackServer;
  readonly value: unknown;
  readonly error: ToolError | undefined;
}

const sent: RequestListener = (_, response) => void response.end("ok");

/** Calls an HTTP tool once against a real server. */
const call = <In = Readonly<Record<string, unknown>>>(scene: Scene<In>): Promise<Seen> =>
  Effect.gen(function* () {
    const server = yield* loopbackServer(scene.answer ?? sent);
    const implementation = http<In>({ url: server.origin + (scene.path ?? "/"), ...scene.options });
    const client = yield* openHttpEgress({ allow: [server.place] });
    const spec = { annotations: scene.annotations ?? {} } as ToolSpec;
    const run = effectOf(implementation.bind(spec)(scene.input ?? {}, context)).pipe(
      Effect.provideService(HttpEgress, client),
      Effect.provideService(Credentials, credentials(scene.secrets ?? {})),
    );
    return yield* Effect.match(run, {
      onSuccess: (value): Seen => ({ server, value, error: undefined }),
      onFailure: (error): Seen => ({ server, value: undefined, error: error as ToolError }),
    });
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

describe("request of an HTTP tool", () => {
  it.each(["GET", "DELETE"] as const)(
    "sends input that is not in the path as query for %s",
    async (method) => {
      const { server } = await call({
        options: { method },
        path: "/users/{id}?fixed=1",
        input: { id: "a b", q: "x&y", tags: ["p", "q"], none: null, deep: { k: 1 }, fixed: "2", on: false },
      });
      expect(server.seen[0]).toMatchObject({ method, body: "" });
      expect(server.seen[0]?.url).toBe(
        "/users/a%20b?fixed=1&q=x%26y&tags=p&tags=q&deep=%7B%22k%22%3A1%7D&on=false",
      );
      expect(server.seen[0]?.headers["content-type"]).toBeUndefined();
    },
  );

  it.each(["POST", "PUT", "PATCH"] as const)(
    "sends input that is not in the path as JSON for %s",
    async (method) => {
      const { server } = await call({
        options: { method },
        path: "/users/{id}",
        input: { id: 7, name: "Ada", tags: [1] },
      });
      expect(server.seen[0]).toMatchObject({ method, url: "/users/7" });
      expect(server.seen[0]?.headers["content-type"]).toBe("application/json");
      expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ name: "Ada", tags: [1] });
    },
  );

  it("uses mappings instead of the defaults", async () => {
    const { server } = await call<{ city: string; units?: string }>({
      options: {
        method: "POST",
        query: { q: (input) => input.city, units: (input) => input.units, limit: 5 },
        headers: { "X-City": (input) => input.city, "X-Gone": undefined, accept: "application/json" },
        body: { place: { name: "unused" }.name, city: (input) => [input.city] },
      },
      input: { city: "Oslo" },
    });
    expect(server.seen[0]?.url).toBe("/?q=Oslo&limit=5");
    expect(server.seen[0]?.headers).toMatchObject({ "x-city": "Oslo", accept: "application/json" });
    expect(server.seen[0]?.headers).not.toHaveProperty("x-gone");
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ place: "unused", city: ["Oslo"] });
  });

  it("supports a body function and sends text unchanged under another content type", async () => {
    const { server } = await call<{ text: string }>({
      options: {
        method: "PUT",
        headers: { "content-type": "text/plain" },
        body: (input) => input.text,
      },
      input: { text: "plain" },
    });
    expect(server.seen[0]).toMatchObject({ body: "plain", headers: { "content-type": "text/plain" } });
  });

  it("sends no default query for DELETE with a mapped body", async () => {
    const { server } = await call<{ ids: number[] }>({
      options: { method: "DELETE", body: { ids: (input) => input.ids } },
      input: { ids: [1, 2] },
    });
    expect(server.seen[0]).toMatchObject({ url: "/", body: '{"ids":[1,2]}' });
  });

  it("sends the idempotency key for writing methods but not for GET", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      const { server } = await call({ options: { method } });
      expect(server.seen[0]?.headers["idempotency-key"]).toBe("key-1");
    }
    expect((await call({})).server.seen[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  it.each(["a\r\nX-Evil: y", "a\nb", "a\0b", "☃", ["a"], { a: 1 }])(
    "rejects the header value %j without sending a request",
    async (note) => {
      const { server, error } = await call<{ note: unknown }>({
        options: { headers: { "x-note": (input) => input.note } },
        input: { note },
      });
      expect(error).toMatchObject({ code: "failed", retryable: false, failure: { ran: false } });
      expect(error?.message).not.toContain("Evil");
      expect(server.connections()).toBe(0);
    },
  );

  it("rejects a path parameter with parent segments without sending a request", async () => {
    const { server, error } = await call({ path: "/users/{id}", input: { id: "../admin" } });
    expect(error).toMatchObject({ code: "failed", failure: { issues: [{ pointer: "/id" }] } });
    expect(server.connections()).toBe(0);
  });

  it.each<[string, Partial<HttpOptions>]>([
    ["GET with a body", { body: {} }],
    ["an unknown method", { method: "TRACE" as never }],
    ["a Host header", { headers: { Host: "evil.example" } }],
    ["an invalid header name", { headers: { "x y": "1" } }],
    ["a placeholder in the host", { url: "https://{host}/" }],
    ["auth without a name", { auth: { secret: "" } }],
    ["auth in a connection header", { auth: { secret: "a", header: "Transfer-Encoding" } }],
  ])("rejects %s at definition", (_, options) => {
    expect(() => http({ url: "https://a.example/", ...options })).toThrowError(
      expect.objectContaining({ code: "invalid_definition" }),
    );
  });
});

describe("response of an HTTP tool", () => {
  it.each([
    ["application/json", '{"a":1}', { a: 1 }],
    ["application/problem+json; charset=utf-8", "[1]", [1]],
    ["text/plain", '{"a":1}', '{"a":1}'],
    ["text/plain; charset=iso-8859-1", Buffer.from([0xe9]), "é"],
    ["text/plain; charset=unheard-of", "é", "é"],
    ["application/xml", "<a/>", "<a/>"],
    ["application/json", "", null],
    ["text/plain", "", ""],
  ])("with %s %j is read as %j", async (type, body, expected) => {
    const { value } = await call({
      answer: (_, response) => void response.writeHead(200, { "content-type": type }).end(body),
    });
    expect(value).toEqual(expected);
  });

  it("with status 204 is null", async () => {
    expect((await call({ answer: (_, response) => void response.writeHead(204).end() })).value).toBeNull();
  });

  it.each([
    ["application/json", "<html>"],
    ["application/json", '{"id":1,"id":2}'],
    ["application/json", '{"id":12345678901234567890}'],
    ["application/json", '{"__proto__":{"polluted":true}}'],
    ["application/json", "[".repeat(100_000)],
    ["image/png", "\u0089PNG"],
  ])("with %s %.30j fails without retry", async (type, body) => {
    const { error } = await call({
      answer: (_, response) => void response.writeHead(200, { "content-type": type }).end(body),
    });
    expect(error).toMatchObject({ code: "failed", retryable: false, failure: { ran: true } });
    expect(error?.message.length).toBeLessThan(600);
  });

  it("can be mapped with status, headers, text and JSON", async () => {
    const { value } = await call({
      answer: json({ data: [1, 2] }, 201, { "x-total": "2" }),
      options: {
        response: (response) => [
          response.status,
          response.headers.get("x-total"),
          response.json(),
          response.text(),
        ],
      },
    });
    expect(value).toEqual([201, "2", { data: [1, 2] }, '{"data":[1,2]}']);
  });

  it("with an error status is neither decoded nor mapped", async () => {
    let mapped = false;
    const { error } = await call({
      answer: json("not json", 500),
      options: {
        response: () => {
          mapped = true;
        },
      },
    });
    expect(mapped).toBe(false);
    expect(error).toMatchObject({ code: "failed", failure: { status: 500 } });
  });

  it("above the size limit is rejected", async () => {
    const { error } = await call({ answer: json({ a: "x".repeat(100) }), options: { maxBytes: 50 } });
    expect(error).toMatchObject({ code: "outside_refused" });
  });
});

describe("error status of an HTTP tool", () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, false],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
    [304, false],
  ])("%i is retryable: %s", async (status, retryable) => {
    const { error } = await call({ answer: (_, response) => void response.writeHead(status).end() });
    expect(error).toMatchObject({ _tag: "ToolExecutionError", code: "failed", retryable });
    const isClaim = [401, 425, 429, 503].includes(status);
    expect(error?.failure).toMatchObject({ retryable, ran: true });
    expect(error?.failure.claimsNotRun).toBe(isClaim ? true : undefined);
    const claim = isClaim ? ", which states that nothing was done" : "";
    expect(error?.message).toMatch(new RegExp(`^GET http://127.0.0.1:\\d+/ answered ${status}${claim}\\.$`));
  });

  it("sets retryAfterMs from seconds or from a date by the clock of the runtime", async () => {
    const seconds = await call({ answer: json({}, 429, { "retry-after": "7" }) });
    expect(seconds.error?.failure.retryAfterMs).toBe(7_000);
    const date = await call({ answer: json({}, 503, { "retry-after": "Thu, 01 Jan 1970 00:02:00 GMT" }) });
    expect(date.error?.failure.retryAfterMs).toBe(120_000);
    expect((await call({ answer: json({}, 429) })).error?.failure).not.toHaveProperty("retryAfterMs");
  });

  it("includes a short excerpt without control characters", async () => {
    const { error } = await call({
      answer: (_, response) => void response.writeHead(400).end(`\u001b[31m${"é\n".repeat(5000)}`),
    });
    expect(error?.message.length).toBeLessThan(560);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
    expect(error?.message).not.toMatch(/[\u0000-\u001f]/);
  });

  it("does not include the query in the message", async () => {
    const { error } = await call({ answer: json({}, 404), input: { q: "private-words" } });
    expect(error?.message).not.toContain("private-words");
  });
});

describe("redirect that would repeat a request", () => {
  const moved =
    (status: number, location = "/there?token=private-words"): RequestListener =>
    (request, response) =>
      void (request.url === "/" ? response.writeHead(status, { location }).end() : response.end("done"));

  it.each([
    [307, "POST"],
    [308, "POST"],
    [307, "PUT"],
    [307, "PATCH"],
    [307, "DELETE"],
    [301, "PUT"],
    [302, "DELETE"],
  ] as const)(
    "with status %i to a %s is not followed unless the tool is idempotent, and the error names the target and the remedy",
    async (status, method) => {
      const { server, error } = await call({ answer: moved(status), options: { method } });
      expect(server.seen.map(({ url }) => url)).toEqual(["/"]);
      expect(error).toMatchObject({ _tag: "ToolExecutionError", code: "failed", retryable: false });
      expect(error?.failure).toMatchObject({ ran: true, claimsNotRun: true, status });
      expect(error?.message).toBe(
        `${method} ${server.origin}/ answered ${status}, which states that nothing was done. The request is not repeated, because it may have had an effect: give the final URL, or mark the tool idempotent (annotations.idempotent). The redirect target is ${server.origin}/there.`,
      );
    },
  );

  it.each([{ idempotent: true }, { readOnly: true }])(
    "is followed for a tool that is %j with the same body and key",
    async (annotations) => {
      const { server, value } = await call({
        answer: moved(307),
        options: { method: "POST" },
        input: { a: 1 },
        annotations,
      });
      expect(value).toBe("done");
      const [first, second] = server.seen;
      expect(second).toMatchObject({ method: "POST", url: "/there?token=private-words", body: '{"a":1}' });
      expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    },
  );

  it.each([
    [303, "POST"],
    [303, "DELETE"],
    [302, "POST"],
    [301, "POST"],
    [307, "GET"],
    [308, "GET"],
  ] as const)("with status %i to a %s is followed with a GET request", async (status, method) => {
    const { server, value } = await call({ answer: moved(status), options: { method } });
    expect(value).toBe("done");
    expect(server.seen.map((seen) => seen.method)).toEqual([method, "GET"]);
  });

  it("to a blocked host is rejected without naming it", async () => {
    const location = "http://localhost:1/private-words";
    const { server, error } = await call({ answer: moved(307, location), options: { method: "POST" } });
    expect(error).toMatchObject({ code: "outside_refused", failure: { ran: true } });
    expect(error?.message).not.toContain("private-words");
    expect(server.seen).toHaveLength(1);
  });
});

describe("secrets of an HTTP tool", () => {
  const secrets = { values: { weather: canary, login: `ada:${canary}` } };

  it.each([
    [{ secret: "weather" }, "authorization", `Bearer ${canary}`],
    [{ secret: "weather", scheme: "bearer" as const }, "authorization", `Bearer ${canary}`],
    [{ secret: "login", scheme: "basic" as const }, "authorization", `Basic ${btoa(`ada:${canary}`)}`],
    [{ secret: "weather", header: "X-Api-Key" }, "x-api-key", canary],
  ])("are sent in the header for %j", async (auth, name, expected) => {
    const { server } = await call({ options: { auth }, secrets });
    expect(server.seen[0]?.headers[name]).toBe(expected);
  });

  it("cannot be replaced by the input", async () => {
    const { server } = await call({
      options: { auth: { secret: "weather" }, headers: { Authorization: () => "Bearer mine" } },
      secrets,
    });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
  });

  it("send no request when missing", async () => {
    const { server, error } = await call({ options: { auth: { secret: "weather" } } });
    expect(error).toMatchObject({ code: "secret_missing" });
    expect(server.connections()).toBe(0);
  });

  it("lose a final line break, and one with an inner line break sends no request", async () => {
    const options = { auth: { secret: "weather" } };
    const ended = await call({ options, secrets: { values: { weather: `${canary}\n` } } });
    expect(ended.server.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
    const broken = await call({ options, secrets: { values: { weather: `${canary}\r\nX-Evil: y` } } });
    expect(broken.error).toMatchObject({ code: "secret_missing" });
    expect(broken.server.connections()).toBe(0);
    expect(inspect(broken.error, { depth: 9 })).not.toContain(canary);
  });

  const echo: RequestListener = (request, response) => {
    const { authorization = "", "x-api-key": key = "" } = request.headers;
    const echoed = `${authorization} ${String(key)} ${encodeURIComponent(authorization)}`;
    response
      .writeHead(401, { "x-echo": echoed })
      .end(`${"x".repeat(480)}${echoed} ${JSON.stringify({ echoed })}`);
  };

  it.each<[string, Scene<Readonly<Record<string, unknown>>>]>([
    ["an error response that echoes it", { answer: echo }],
    [
      "a rejected redirect",
      {
        answer: (_, response) =>
          void response.writeHead(302, { location: `http://x:${canary}@127.0.0.1/` }).end(),
      },
    ],
    [
      "a redirect that is not followed",
      {
        answer: (request, response) => {
          const { authorization, "x-api-key": key = "" } = request.headers;
          const echoed = encodeURI(`/${"x".repeat(270)}${authorization ?? String(key)}`);
          response.writeHead(307, { location: echoed }).end();
        },
      },
    ],
    [
      "a response that is not HTTP",
      {
        answer: (request, response) =>
          void response.socket?.end(`HTP ${request.headers.authorization}\r\n\r\n`),
      },
    ],
    [
      "a response that ends early",
      {
        answer: (request, response) =>
          void response.socket?.end(
            `HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${request.headers.authorization}`,
          ),
      },
    ],
    [
      "an oversized response",
      {
        answer: (request, response) => void response.end(JSON.stringify(request.headers)),
        options: { maxBytes: 3 },
      },
    ],
    [
      "a response that is not JSON",
      {
        answer: (request, response) =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end(`{"a": ${request.headers["x-api-key"] ?? request.headers.authorization}`),
      },
    ],
    ["a connection that resets", { answer: (_, response) => void response.socket?.resetAndDestroy() }],
  ])("do not appear in errors: %s", async (_, scene) => {
    for (const auth of [
      { secret: "weather" },
      { secret: "login", scheme: "basic" as const },
      { secret: "weather", header: "x-api-key" },
    ]) {
      const { error, server } = await call({
        ...scene,
        secrets,
        options: { ...scene.options, auth, method: "POST" },
      });
      expect(server.seen).toHaveLength(1);
      expect(error).toBeDefined();
      const printed = [
        inspect(error, { depth: 20, showHidden: true }),
        JSON.stringify(error),
        JSON.stringify(error?.failure),
        String(error),
        error?.stack,
        inspect(error?.cause, { depth: 20 }),
      ].join("\n");
      for (const form of [canary, canary.slice(0, 12), btoa(`ada:${canary}`), encodeURIComponent(canary)]) {
        expect(printed).not.toContain(form);
      }
    }
  });
});
