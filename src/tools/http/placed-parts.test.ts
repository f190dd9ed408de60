import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../../test/kit/effect-of.ts";
import { type LoopbackServer, loopbackServer } from "../../../test/loopback-server.ts";
import { Credentials, credentials } from "../../base/credentials/credentials.ts";
import { HttpEgress } from "../../base/http/http-egress.ts";
import { openHttpEgress } from "../../base/http/open-http-egress.ts";
import type { CallContext } from "../../types/call.ts";
import { type ToolError, toError } from "../../types/errors.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { type HttpOptions, http } from "../http.ts";

const canary = "canary 7/f+3-secret";
const context = { callId: "call-1", tool: "t", idempotencyKey: "key-1" } as CallContext;

const call = (
  options: Omit<HttpOptions, "url"> & { readonly path?: string; readonly status?: number },
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly server: LoopbackServer; readonly error?: ToolError }> =>
  Effect.gen(function* () {
    const { path = "/", status = 200, ...rest } = options;
    const server = yield* loopbackServer((request, response) => {
      response.writeHead(status).end(`you sent ${request.url} ${JSON.stringify(request.headers)}`);
    });
    const client = yield* openHttpEgress({ allow: [server.place] });
    const bound = http({ url: server.origin + path, ...rest }).bind({ annotations: {} } as ToolSpec);
    const run = effectOf(bound(input, context)).pipe(
      Effect.provideService(HttpEgress, client),
      Effect.provideService(Credentials, credentials({ values: { key: canary, other: "second-secret" } })),
    );
    return yield* Effect.match(run, {
      onSuccess: () => ({ server }),
      onFailure: (error) => ({ server, error: error as ToolError }),
    });
  }).pipe(Effect.scoped, Effect.runPromise);

describe("HTTP parameters", () => {
  it("are sent in their configured places, and other input is not sent", async () => {
    const { server } = await call(
      {
        path: "/a/{id}/b{opts}?fixed=1",
        parameters: [
          { in: "path", name: "id", from: "path_id" },
          { in: "path", name: "opts", style: "matrix", explode: true },
          { in: "query", name: "id", from: "query_id" },
          { in: "query", name: "tags", explode: false },
          { in: "query", name: "filter", json: true },
          { in: "header", name: "X-Parts" },
          { in: "cookie", name: "session" },
          { in: "cookie", name: "lang" },
        ],
      },
      {
        path_id: "p 1",
        query_id: 2,
        opts: { x: 1 },
        tags: ["a", "b,c"],
        filter: { k: "v" },
        "X-Parts": [1, 2],
        session: "s 1",
        lang: "no",
        other: "stays here",
      },
    );
    expect(server.seen[0]).toMatchObject({
      url: "/a/p%201/b;x=1?fixed=1&id=2&tags=a,b%2Cc&filter=%7B%22k%22%3A%22v%22%7D",
      headers: { "x-parts": "1,2", cookie: "session=s%201; lang=no" },
      body: "",
    });
  });

  it.each([["GET"], ["DELETE"], ["POST"]] as const)(
    "allow a body with %s when content is configured",
    async (method) => {
      const { server } = await call(
        { method, content: { type: "application/json", from: "body" } },
        { body: { a: 1 }, other: 2 },
      );
      expect(server.seen[0]).toMatchObject({ method, url: "/", body: '{"a":1}' });
      expect(server.seen[0]?.headers["content-type"]).toBe("application/json");
    },
  );

  it("send no idempotency key with HEAD and OPTIONS", async () => {
    for (const method of ["HEAD", "OPTIONS"] as const) {
      const { server } = await call({ method, parameters: [] }, { a: 1 });
      expect(server.seen[0]).toMatchObject({ method, url: "/" });
      expect(server.seen[0]?.headers).not.toHaveProperty("idempotency-key");
    }
  });

  it.each([
    [{ id: "a/b" }, "/id is part of a path, so it must not be empty or contain a slash."],
    [{ id: ["ok", "../x"] }, "/id is part of a path, so it must not be empty or contain a slash."],
    [{ id: [] }, "/id is part of a path, so it must not be empty or contain a slash."],
    [{ id: ".." }, 'The path would contain the segment "..".'],
    [
      { id: "1", "X-H": "a\r\nb" },
      'The input does not fit into the request: the header "X-H" contains a line break or a NUL.',
    ],
  ])("reject %j before sending a request", async (input, message) => {
    const { server, error } = await call(
      {
        path: "/a/{id}",
        parameters: [
          { in: "path", name: "id" },
          { in: "header", name: "X-H" },
        ],
      },
      input,
    );
    expect(error?.message).toBe(message);
    expect(error?.failure).toMatchObject({ ran: false });
    expect(server.connections()).toBe(0);
  });

  it.each([
    [
      { parameters: [{ in: "query", name: "a", style: "simple" }] },
      /is in the query, which has no style simple/,
    ],
    [{ parameters: [{ in: "header", name: "Host" }] }, /is set by the client itself/],
    [
      { parameters: [{ in: "body", name: "a" }] },
      /must have one of the locations path, query, header, cookie/,
    ],
    [
      { method: "POST", body: {}, content: { type: "text/plain", from: "b" } },
      /has both `body` and `content`/,
    ],
  ])("reject %j at definition", (options, message) => {
    expect(() => http({ url: "https://api.example/", ...options } as never)).toThrow(message);
  });
});

describe("secrets in a query or cookie", () => {
  it("replace values from the input", async () => {
    const { server } = await call(
      {
        parameters: [
          { in: "query", name: "key" },
          { in: "query", name: "q" },
          { in: "cookie", name: "sid" },
          { in: "cookie", name: "lang" },
        ],
        auth: [
          { secret: "key", query: "key" },
          { secret: "other", cookie: "sid" },
        ],
      },
      { key: "mine", q: "x", sid: "mine", lang: "no" },
    );
    expect(server.seen[0]?.url).toBe("/?q=x&key=canary%207%2Ff%2B3-secret");
    expect(server.seen[0]?.headers.cookie).toBe("lang=no; sid=second-secret");
  });

  it.each([[{ secret: "key", query: "key" }], [{ secret: "key", cookie: "sid" }]])(
    "are not in errors when the service echoes the request: %j",
    async (auth) => {
      const { error } = await call({ auth, status: 403 }, {});
      expect(error?.message).toContain("answered 403");
      const printed = `${inspect(error, { depth: 9 })} ${JSON.stringify(toError(error!.failure).failure)}`;
      for (const form of [canary, encodeURIComponent(canary), "canary%207"])
        expect(printed).not.toContain(form);
    },
  );
});
