import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../../test/kit/effect-of.ts";
import { clientId, clientSecret, type OAuthServer, oauthServer } from "../../../test/kit/oauth-server.ts";
import { Credentials, credentials } from "../../base/credentials/credentials.ts";
import { HttpEgress } from "../../base/http/http-egress.ts";
import { openHttpEgress } from "../../base/http/open-http-egress.ts";
import { TraceHeaders } from "../../base/http/trace-headers.ts";
import type { CallContext } from "../../types/call.ts";
import type { ToolError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { type HttpOptions, http } from "../http.ts";

const ada: Principal = { agent: "helper", user: "ada" };
const bob: Principal = { agent: "helper", user: "bob" };

interface Scene {
  readonly server: OAuthServer;
  readonly call: (
    principal: Principal,
    options?: Partial<HttpOptions>,
    annotations?: ToolSpec["annotations"],
  ) => Effect.Effect<unknown, ToolError>;
}

/** Calls a tool whose requests carry the token of the caller. */
const play = (body: (scene: Scene) => Effect.Effect<void, unknown, Scope>): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* oauthServer();
    const firsts = { ada: server.grantTo("ada"), bob: server.grantTo("bob") };
    const store = credentials({
      values: { client: clientSecret, ...firsts },
      oauth: {
        api: {
          grant: "refresh_token",
          clientId,
          clientSecret: "client",
          tokenUrl: server.urls.token,
          refreshToken: ({ user = "" }) => user,
        },
      },
    });
    const client = yield* openHttpEgress({ allow: [server.place] });
    const call: Scene["call"] = (principal, options, annotations = {}) => {
      const { bind } = http({ url: server.urls.api, auth: { kind: "oauth", credential: "api" }, ...options });
      const context = { callId: "c", tool: "t", idempotencyKey: "key-1", principal } as CallContext;
      return effectOf(bind({ annotations } as ToolSpec)({}, context)).pipe(
        Effect.provideService(HttpEgress, client),
        Effect.provideService(Credentials, store),
        Effect.mapError((error) => error as ToolError),
      );
    };
    yield* body({ server, call });
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);

const apiRequests = ({ seen }: OAuthServer) => seen.filter(({ url }) => url.startsWith("/api"));

describe("HTTP tool with OAuth", () => {
  it("uses the token of its caller", () =>
    play(({ call }) =>
      Effect.gen(function* () {
        const users = yield* Effect.all([call(ada), call(bob), call(ada), call(bob)], {
          concurrency: "unbounded",
        });
        expect(users).toEqual([{ user: "ada" }, { user: "bob" }, { user: "ada" }, { user: "bob" }]);
      }),
    ));

  it("fetches one token for a hundred concurrent calls", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 100 }, () => call(ada)),
          { concurrency: "unbounded" },
        );
        expect(server.forms).toHaveLength(1);
        expect(apiRequests(server)).toHaveLength(100);
      }),
    ));

  it("does not let an input or a tracer replace the token header", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        const options = { headers: { Authorization: () => "Bearer mine" } };
        const traced = Effect.provideService(call(ada, options), TraceHeaders, () => ({
          authorization: "Bearer t",
        }));
        expect(yield* traced).toEqual({ user: "ada" });
        expect(apiRequests(server)[0]?.headers.authorization).toMatch(/^Bearer canary-access-/);
      }),
    ));

  it("sends no request for a caller without a token", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(call({ agent: "helper", user: "eve" }));
        expect(error).toMatchObject({ code: "secret_missing", _tag: "CredentialsError" });
        expect(server.connections()).toBe(0);
      }),
    ));

  it.each([
    ["GET", {}],
    ["POST", { idempotent: true }],
  ] as const)("renews the token after a 401 to a repeatable %s and retries once", (method, annotations) =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        yield* call(ada);
        server.behavior.apiRefusals = 1;
        expect(yield* call(ada, { method }, annotations)).toEqual({ user: "ada" });
        const [, refused, taken] = apiRequests(server);
        expect(taken?.headers.authorization).not.toBe(refused?.headers.authorization);
        expect(taken?.headers["idempotency-key"]).toBe(refused?.headers["idempotency-key"]);
        expect(taken?.body).toBe(refused?.body);
        expect(server.forms).toHaveLength(2);
      }),
    ),
  );

  it("renews the token after a 401 to a POST that is not repeatable without retrying", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        yield* call(ada);
        server.behavior.apiRefusals = 1;
        const error = yield* Effect.flip(call(ada, { method: "POST" }));
        expect(error.failure).toMatchObject({
          ran: true,
          claimsNotRun: true,
          retryable: true,
          status: 401,
        });
        expect(error.message).toContain("states that nothing was done");
        expect(apiRequests(server)).toHaveLength(2);
        expect(server.forms).toHaveLength(2);
        expect(yield* call(ada, { method: "POST" })).toEqual({ user: "ada" });
      }),
    ));

  it("retries at most once and reports that the token was rejected", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        server.behavior.apiRefusals = 1_000;
        const error = yield* Effect.flip(call(ada));
        expect(error).toMatchObject({
          code: "failed",
          failure: { ran: true, claimsNotRun: true, retryable: false, status: 401 },
        });
        expect(error.message).toContain(
          'answered 401 to the caller\'s token of "api", and again to a new one',
        );
        expect(apiRequests(server)).toHaveLength(2);
        for (let count = 0; count < 20; count++) yield* Effect.flip(call(ada));
        expect(server.forms.length).toBeLessThanOrEqual(2);
      }),
    ));

  it("renews the token once for a hundred concurrent rejected calls", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        yield* call(ada);
        server.behavior.apiRefusals = 100;
        const answers = yield* Effect.all(
          Array.from({ length: 100 }, () => Effect.result(call(ada))),
          { concurrency: "unbounded" },
        );
        expect(server.forms).toHaveLength(2);
        expect(answers.some(({ _tag }) => _tag === "Success")).toBe(true);
      }),
    ));

  it("shows no token in errors that the service echoes", () =>
    play(({ server, call }) =>
      Effect.gen(function* () {
        server.behavior.apiRefusals = 1_000;
        const errors = [yield* Effect.flip(call(ada)), yield* Effect.flip(call(ada))];
        server.revoke("bob");
        errors.push(yield* Effect.flip(call(bob)));
        server.behavior.failures = [500];
        errors.push(yield* Effect.flip(call({ ...ada, agent: "other" })));
        const printed = errors.map((error) => inspect(error, { depth: 20, showHidden: true })).join("\n");
        for (const secret of server.secrets) expect(printed).not.toContain(secret);
      }),
    ));

  it.each([{ credential: "" }, { credential: 7 as never }])("rejects %j at definition", (auth) => {
    expect(() => http({ url: "https://a.example", auth: { kind: "oauth", ...auth } })).toThrowError(
      expect.objectContaining({ code: "invalid_definition" }),
    );
  });
});

describe("trace headers", () => {
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const traced = (scene: Scene, headers: () => Record<string, string>, options?: Partial<HttpOptions>) =>
    Effect.map(Effect.provideService(scene.call(ada, options), TraceHeaders, headers), () =>
      apiRequests(scene.server).at(-1),
    );

  it("are sent with every request when there is a tracer", () =>
    play((scene) =>
      Effect.gen(function* () {
        expect((yield* traced(scene, () => trace))?.headers).toMatchObject(trace);
        yield* scene.call(ada);
        expect(apiRequests(scene.server).at(-1)?.headers).not.toHaveProperty("traceparent");
      }),
    ));

  it("do not replace headers that the tool set", () =>
    play((scene) =>
      Effect.gen(function* () {
        const options = {
          method: "POST",
          headers: { Traceparent: "mine", "Idempotency-Key": "own" },
        } as const;
        const headers = () => ({ ...trace, "idempotency-key": "theirs" });
        const seen = yield* traced(scene, headers, options);
        expect(seen?.headers).toMatchObject({
          traceparent: "mine",
          tracestate: "a=b",
          "idempotency-key": "own",
        });
      }),
    ));

  it("that are invalid, or a tracer that throws, do not prevent the request", () =>
    play((scene) =>
      Effect.gen(function* () {
        const broken = yield* traced(scene, () => ({
          traceparent: "a\r\nX-Evil: y",
          host: "evil.example",
          ok: "1",
        }));
        expect(broken?.headers).toMatchObject({ ok: "1", host: scene.server.place });
        expect(broken?.headers).not.toHaveProperty("traceparent");
        const thrown = yield* traced(scene, () => {
          throw new Error("no tracer");
        });
        expect(thrown).toBeDefined();
      }),
    ));
});
