import type { RequestListener } from "node:http";
import { isIP } from "node:net";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { type LoopbackServer, loopbackServer } from "../../../../test/loopback-server.ts";
import { HttpEgress } from "../../../base/http/http-egress.ts";
import { type HttpEgressOptions, openHttpEgress } from "../../../base/http/open-http-egress.ts";
import type { HostLookup } from "../../../base/http/wire/connector.ts";
import type { CallContext } from "../../../types/call.ts";
import type { ToolError } from "../../../types/errors.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { type HttpRequestInput, httpGetter, httpRequester } from "./http-requester.ts";

const run = <A, E>(effect: Effect.Effect<A, E, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect));
const context = { idempotencyKey: "key-1" } as CallContext;

interface Answer {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
}

/** Sends a request with these settings. Names resolve to loopback unless `lookup` is set. */
const send = (
  input: HttpRequestInput,
  http: Partial<SkillSettings["http"]>,
  options: HttpEgressOptions = {},
): Effect.Effect<Answer, ToolError, Scope> =>
  Effect.gen(function* () {
    const client = yield* openHttpEgress({ lookup: answering("127.0.0.1"), ...options });
    return yield* httpRequester(skillSettings({ http }))(input, context).pipe(
      Effect.provideService(HttpEgress, client),
    );
  }) as Effect.Effect<Answer, ToolError, Scope>;

const get = (url: string, http: Partial<SkillSettings["http"]>, options: HttpEgressOptions = {}) =>
  Effect.gen(function* () {
    const client = yield* openHttpEgress({ lookup: answering("127.0.0.1"), ...options });
    return yield* httpGetter(skillSettings({ http }))({ url }, context).pipe(
      Effect.provideService(HttpEgress, client),
    );
  }) as Effect.Effect<Answer, ToolError, Scope>;

const answering =
  (...ips: readonly string[]): HostLookup =>
  (_, answer) =>
    answer(
      null,
      ips.map((address) => ({ address, family: isIP(address) })),
    );

const saying =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);

const canary = (): Effect.Effect<LoopbackServer, never, Scope> => loopbackServer(saying("reached"));

/** Allows the server in the client and in the skill. */
const open = (server: LoopbackServer) => [{ hosts: [server.place] }, { allow: [server.place] }] as const;

const attacks = [
  "http://127.0.0.1:PORT/",
  "http://127.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://１２７.０.０.１:PORT/",
  "http://127。0。0。1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://granted.example@127.0.0.1:PORT/",
  "http://granted.example:80@127.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "http://0.0.0.0:PORT/",
  "http://[::1]:PORT/",
  "http://[::]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::7f00:1]:PORT/",
  "http://[fd00::1]:PORT/",
  "http://[fe80::1]:PORT/",
  "http://localhost:PORT/",
  "http://admin.localhost:PORT/",
  "http://169.254.169.254/latest/meta-data/",
  "http://10.0.0.1/",
  "http://192.168.0.1/",
  "http://granted.example:PORT/",
  "http://granted.example:22/",
  "file:///etc/hosts",
  "gopher://127.0.0.1:PORT/_GET",
  "data:text/plain,hello",
];

describe("http-request", () => {
  it.each(attacks)("does not reach %s, even when every host is allowed", (attack) =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const url = attack.replace("PORT", String(target.port));
        const error = yield* Effect.flip(send({ url }, { hosts: ["*", `*:${target.port}`] }));
        expect(error).toMatchObject({ code: "outside_refused", failure: { ran: false } });
        expect(target.connections()).toBe(0);
      }),
    ),
  );

  it("does not reach a server that is not allowed with a thousand random URLs", () =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const host = fc.constantFrom(
          "127.0.0.1",
          "127.1",
          "0x7f.1",
          "localhost",
          "LOCALHOST.",
          "[::1]",
          "0",
          "granted.example",
          "granted.example.evil.example",
          "evil-granted.example",
          "a.granted.example",
          "granted.example.",
          "grаnted.example",
          "[::ffff:7f00:1]",
          "017700000001",
        );
        const url = fc
          .tuple(
            fc.constantFrom("http://", "https://", "HTTP:", "http:\\\\", "//", "ftp://", "ws://"),
            fc.constantFrom("", "", "granted.example@", "user:pass@", "granted.example%40", "\t"),
            host,
            fc.constantFrom(`:${target.port}`, `:${target.port}`, "", ":0", ":65536"),
            fc.constantFrom(
              "",
              "/",
              "/@granted.example/",
              "?granted.example",
              "#granted.example",
              "\\@granted.example",
            ),
          )
          .map((parts) => parts.join(""));
        const client = yield* openHttpEgress({ lookup: answering("127.0.0.1"), connectTimeoutMs: 1_000 });
        const sendings = [
          ["granted.example", `granted.example:${target.port}`],
          ["*", `*:${target.port}`],
        ].map((hosts) => httpRequester(skillSettings({ http: { hosts } })));
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(url, async (made) => {
              for (const each of sendings) {
                const sending = each({ url: made }, context).pipe(Effect.provideService(HttpEgress, client));
                expect((await Effect.runPromise(Effect.result(sending)))._tag).toBe("Failure");
              }
            }),
            { numRuns: 1_000 },
          ),
        );
        expect(target.connections()).toBe(0);
      }),
    ));

  it("refuses the second connection when the name resolves to another address", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer(
          saying("first", { connection: "close", "content-type": "text/plain" }),
        );
        let asked = 0;
        const lookup: HostLookup = (name, answer) =>
          answering(asked++ === 0 ? "127.0.0.1" : "169.254.169.254")(name, answer);
        const place = `intranet.example:${server.port}`;
        const client = yield* openHttpEgress({ allow: [place], lookup });
        const ask = httpRequester(skillSettings({ http: { hosts: [place] } }))(
          { url: `http://${place}/` },
          context,
        ).pipe(Effect.provideService(HttpEgress, client));
        expect(yield* ask).toMatchObject({ text: "first" });
        expect(yield* Effect.flip(ask)).toMatchObject({ code: "outside_refused" });
        expect(server.seen).toHaveLength(1);
      }),
    ));

  it.each([301, 302, 303, 307, 308])(
    "does not follow a redirect (%i) to a host that is not allowed",
    (status) =>
      run(
        Effect.gen(function* () {
          const target = yield* canary();
          const source = yield* loopbackServer((_, response) => {
            response.writeHead(status, { location: target.origin }).end();
          });
          const allow = [source.place, target.place];
          const error = yield* Effect.flip(get(source.origin, { hosts: [source.place] }, { allow }));
          expect(error).toMatchObject({ code: "outside_refused", failure: { ran: true } });
          expect(error.message).toContain("A redirect was not followed");
          expect(target.connections()).toBe(0);
          expect(yield* get(source.origin, { hosts: allow }, { allow })).toMatchObject({
            url: `${target.origin}/`,
          });
        }),
      ),
  );

  it.each(attacks)("does not follow a redirect to %s", (attack) =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const location = Buffer.from(attack.replace("PORT", String(target.port))).toString("latin1");
        const source = yield* loopbackServer((_, response) => {
          response.socket?.end(
            `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
            "latin1",
          );
        });
        const hosts = ["*", source.place, `*:${target.port}`];
        const error = yield* Effect.flip(get(source.origin, { hosts }, { allow: [source.place] }));
        expect(error).toMatchObject({ code: "outside_refused" });
        expect(target.connections()).toBe(0);
      }),
    ),
  );

  it("names the missing line of configuration", () =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const error = yield* Effect.flip(get(server.origin, {}, { allow: [server.place] }));
        expect(error.message).toContain(`config: { skills: { http: { hosts: ["${server.place}"] } } }`);
        expect(error).toMatchObject({ code: "outside_refused", failure: { ran: false } });
        const other = yield* Effect.flip(get("https://other.example/", { hosts: ["a.example"] }));
        expect(other.message).toContain('hosts: ["other.example"]');
        expect(server.connections()).toBe(0);
      }),
    ));

  it.each([
    [{ method: "POST" }, 'methods: ["POST"]'],
    [{ headers: { Authorization: "Bearer x" } }, 'headers: ["Authorization"]'],
    [{ headers: { cookie: "a=b" } }, 'headers: ["cookie"]'],
    [{ headers: { "x\r\nEvil": "y" } }, "is not granted"],
    [{ headers: { accept: "a\r\nX-Evil: y" } }, "line break"],
    [{ headers: { accept: "a\0b" } }, "NUL"],
    [{ body: "x" }, "cannot have a body"],
  ] as const)("refuses %j without sending anything", (input, said) =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const error = yield* Effect.flip(send({ url: server.origin, ...input }, ...open(server)));
        expect(error.message).toContain(said);
        expect(error.failure.ran ?? false).toBe(false);
        expect(server.connections()).toBe(0);
      }),
    ),
  );

  it("sends an allowed request with an idempotency key", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer(
          saying('{"ok":true}', { "content-type": "application/json", "set-cookie": "a=b", etag: "1" }),
        );
        const [http, options] = open(server);
        const headers = { "Content-Type": "application/json" };
        const input = { url: server.origin, method: "POST", headers, body: "{}" } as const;
        const answer = yield* send(input, { ...http, methods: ["POST"] }, options);
        expect(answer).toEqual({
          url: `${server.origin}/`,
          status: 200,
          contentType: "application/json",
          headers: expect.objectContaining({ etag: "1" }),
          text: '{"ok":true}',
        });
        expect(answer.headers).not.toHaveProperty("set-cookie");
        expect(server.seen[0]).toMatchObject({
          method: "POST",
          body: "{}",
          headers: { "idempotency-key": "key-1" },
        });
      }),
    ));

  it("returns an error status as an answer", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((_, response) => {
          response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
        });
        expect(yield* get(server.origin, ...open(server))).toMatchObject({
          status: 404,
          text: "no such page",
        });
      }),
    ));

  it("returns binary content only as base64 and on request", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer(saying(Buffer.from([0, 255]), { "content-type": "image/png" }));
        expect((yield* Effect.flip(get(server.origin, ...open(server)))).message).toContain('as: "base64"');
        expect(yield* send({ url: server.origin, as: "base64" }, ...open(server))).toMatchObject({
          base64: "AP8=",
        });
      }),
    ));

  it("enforces its size limit and its timeout", () =>
    run(
      Effect.gen(function* () {
        const server = yield* loopbackServer((request, response) => {
          if (request.url === "/slow") return;
          response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(2_000));
        });
        const [http, options] = open(server);
        const large = yield* Effect.flip(get(server.origin, { ...http, maxBytes: 1_000 }, options));
        expect(large.message).toContain("1000");
        const late = yield* Effect.flip(get(`${server.origin}/slow`, { ...http, timeoutMs: 30 }, options));
        expect(late).toMatchObject({ code: "timed_out" });
      }),
    ));
});

describe("HTML page", () => {
  it("is returned as readable text with its links and without scripts", () =>
    run(
      Effect.gen(function* () {
        const page = `<html><head><title>T</title><script>steal()</script></head><body><h1>News</h1>
          <p>Read <a href="/more?x=1">more</a>.<script>alert(1)</script><style>p{}</style></p>
          <table><tr><th>a</th><td>1</td></tr></table><img src="x" alt="pic"></body></html>`;
        const server = yield* loopbackServer(saying(page, { "content-type": "text/html; charset=utf-8" }));
        const { text } = yield* get(server.origin, ...open(server));
        expect(text).toBe(`News\n\nRead more [${server.origin}/more?x=1].\n\na | 1 |`);
        const raw = yield* send({ url: server.origin, as: "raw" }, ...open(server));
        expect(raw.text).toBe(page);
      }),
    ));
});
