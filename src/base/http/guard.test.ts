import net from "node:net";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type LoopbackServer, loopbackServer } from "../../../test/loopback-server.ts";
import { openHttpEgress } from "./open-http-egress.ts";
import type { HostLookup, ResolvedAddress } from "./wire/connector.ts";

const run = <A, E>(effect: Effect.Effect<A, E, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect));

afterEach(() => {
  vi.restoreAllMocks();
});

const canary = (): Effect.Effect<LoopbackServer, never, Scope> =>
  loopbackServer((_, response) => void response.end("reached"));

const address = (ip: string): ResolvedAddress => ({ address: ip, family: net.isIP(ip) });

/** Resolves every name to the given addresses instead of querying DNS. */
const answering =
  (...ips: readonly string[]): HostLookup =>
  (_, answer) =>
    answer(null, ips.map(address));

// PORT is replaced by the port of a loopback server that must not be reached.
const attacks = [
  "http://127.0.0.1:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.0.0.1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://017700000001:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://１２７.０.０.１:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127。0。0。1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://example.com@127.0.0.1:PORT/",
  "http://example.com:80@127.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://[::1]:PORT/",
  "http://[::]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[fd00::1]:PORT/",
  "http://[fe80::1]:PORT/",
  "http://localhost:PORT/",
  "http://LocalHost:PORT/",
  "http://localhost.:PORT/",
  "http://admin.localhost:PORT/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://168.63.129.16/machine",
  "http://10.0.0.1/",
  "http://192.168.0.1/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "https://127.0.0.1:PORT/",
  "http://example.com:22/",
  "http://example.com:25/",
  "file:///etc/hosts",
  "gopher://127.0.0.1:PORT/_GET%20/",
  "ftp://127.0.0.1:PORT/",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "ws://127.0.0.1:PORT/",
  "http://resolves-to-loopback.example:PORT/",
];

describe("SSRF guard", () => {
  it.each(attacks)("refuses %s without sending anything", (attack) =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const client = yield* openHttpEgress({ lookup: answering("127.0.0.1") });
        const url = attack.replace("PORT", String(target.port));
        const error = yield* Effect.flip(client.request({ url, method: "POST", body: "x" }));
        expect(error).toMatchObject({ code: "outside_refused", _tag: "HttpEgressError", retryable: false });
        expect(target.seen).toHaveLength(0);
      }),
    ),
  );

  it.each(attacks)("refuses a redirect to %s", (attack) =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const url = Buffer.from(attack.replace("PORT", String(target.port))).toString("latin1");
        const source = yield* loopbackServer((_, response) => {
          response.socket?.end(
            `HTTP/1.1 302 Found\r\nlocation: ${url}\r\ncontent-length: 0\r\n\r\n`,
            "latin1",
          );
        });
        const client = yield* openHttpEgress({ allow: [source.place], lookup: answering("127.0.0.1") });
        const error = yield* Effect.flip(client.request({ url: source.origin }));
        expect(error).toMatchObject({ code: "outside_refused", failure: { ran: true } });
        expect(target.seen).toHaveLength(0);
      }),
    ),
  );

  it.each(["", "/path", "//host/path", "http://", "http://[::1", "http://a b/", "http://256.256.256.256/"])(
    "rejects the malformed URL %j",
    (url) =>
      run(
        Effect.gen(function* () {
          const client = yield* openHttpEgress();
          expect(yield* Effect.flip(client.request({ url }))).toMatchObject({ code: "outside_refused" });
        }),
      ),
  );

  it("rejects a name with one private address among public ones", () =>
    run(
      Effect.gen(function* () {
        const connect = vi.spyOn(net.Socket.prototype, "connect");
        const client = yield* openHttpEgress({ lookup: answering("8.8.8.8", "2606:4700::1111", "10.0.0.8") });
        const error = yield* Effect.flip(client.request({ url: "https://mixed.example/" }));
        expect(error).toMatchObject({
          code: "outside_refused",
          failure: { ran: false, detail: "10.0.0.8 is a private address" },
        });
        expect(error.message).not.toContain("10.0.0.8");
        expect(connect).toHaveBeenCalledOnce();
      }),
    ));

  it("resolves a name once per connection and connects to the addresses that were checked", () =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        const real = net.connect.bind(net);
        const given: unknown[] = [];
        // Simulates a network that routes every checked address to loopback.
        vi.spyOn(net, "connect").mockImplementation(((options: net.TcpNetConnectOpts) => {
          options.lookup?.("rebind.example", { all: true }, (_error, addresses) => given.push(addresses));
          return real({ host: "127.0.0.1", port: target.port });
        }) as typeof net.connect);
        let asked = 0;
        const rebinding: HostLookup = (_, answer) =>
          answer(null, [address(asked++ === 0 ? "8.8.8.8" : "127.0.0.1")]);
        const client = yield* openHttpEgress({ lookup: rebinding });
        const error = yield* Effect.flip(client.request({ url: `http://rebind.example:${target.port}/` }));
        expect(given).toEqual([[address("8.8.8.8")]]);
        expect(asked).toBe(1);
        expect(error).toMatchObject({
          code: "outside_refused",
          failure: { detail: "127.0.0.1 is a loopback address" },
        });
        expect(target.seen).toHaveLength(0);
      }),
    ));

  it("rejects the later connection when a name first resolves to a public address and then to 127.0.0.1", () =>
    run(
      Effect.gen(function* () {
        const target = yield* canary();
        let asked = 0;
        const connect = vi.spyOn(net, "connect").mockImplementationOnce(((options: net.TcpNetConnectOpts) => {
          const socket = new net.Socket();
          options.lookup?.("rebind.example", { all: true }, () => socket.destroy(new Error("unplugged")));
          return socket;
        }) as typeof net.connect);
        const client = yield* openHttpEgress({
          lookup: (_, answer) => answer(null, [address(asked++ === 0 ? "8.8.8.8" : "127.0.0.1")]),
        });
        const url = `http://rebind.example:${target.port}/`;
        expect(yield* Effect.flip(client.request({ url }))).toMatchObject({
          code: "failed",
          failure: { ran: false },
        });
        expect(yield* Effect.flip(client.request({ url }))).toMatchObject({ code: "outside_refused" });
        expect(connect).toHaveBeenCalledTimes(2);
        expect(target.seen).toHaveLength(0);
      }),
    ));

  it("reports a failure before sending when a name has no addresses", () =>
    run(
      Effect.gen(function* () {
        const client = yield* openHttpEgress({ lookup: answering() });
        const error = yield* Effect.flip(client.request({ url: "https://empty.example/" }));
        expect(error).toMatchObject({ code: "failed", failure: { ran: false } });
      }),
    ));
});

describe("allow list", () => {
  it("opens one port of a host and no other", () =>
    run(
      Effect.gen(function* () {
        const [listed, other] = [yield* canary(), yield* canary()];
        const client = yield* openHttpEgress({ allow: [listed.place] });
        expect((yield* client.request({ url: listed.origin })).status).toBe(200);
        const error = yield* Effect.flip(client.request({ url: other.origin }));
        expect(error).toMatchObject({ code: "outside_refused" });
      }),
    ));

  it("allows private addresses for a listed name, with or without the final dot", () =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const client = yield* openHttpEgress({
          allow: [`intranet.example:${server.port}`],
          lookup: answering("127.0.0.1"),
        });
        for (const host of ["intranet.example", "INTRANET.example."]) {
          expect((yield* client.request({ url: `http://${host}:${server.port}/` })).status).toBe(200);
        }
      }),
    ));

  it.each(["169.254.169.254", "168.63.129.16", "0.0.0.0", "224.0.0.1", "fe80::1"])(
    "does not allow a listed name that resolves to %s",
    (ip) =>
      run(
        Effect.gen(function* () {
          const client = yield* openHttpEgress({ allow: ["intranet.example:80"], lookup: answering(ip) });
          const error = yield* Effect.flip(client.request({ url: "http://intranet.example/" }));
          expect(error).toMatchObject({ code: "outside_refused" });
        }),
      ),
  );

  it("allows localhost and unusual ports when they are listed", () =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const client = yield* openHttpEgress({
          allow: [`localhost:${server.port}`],
          lookup: answering("127.0.0.1"),
        });
        expect((yield* client.request({ url: `http://localhost:${server.port}/` })).status).toBe(200);
      }),
    ));
});

describe("request headers", () => {
  it.each([
    ["x-note", "a\r\nX-Evil: y"],
    ["x-note", "a\nb"],
    ["x-note", "a\r\n"],
    ["x-note", "a\0b"],
    ["x-note", "snowman ☃"],
    ["x note", "a"],
    ["x-note\r\nX-Evil", "y"],
    ["", "a"],
    ["host", "evil.example"],
    ["Content-Length", "0"],
    ["transfer-encoding", "chunked"],
    ["connection", "upgrade"],
    ["x-long", "x".repeat(17_000)],
  ])("rejects the header %j: %j without sending a request", (name, value) =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const client = yield* openHttpEgress({ allow: [server.place] });
        const error = yield* Effect.flip(client.request({ url: server.origin, headers: { [name]: value } }));
        expect(error).toMatchObject({ code: "outside_refused" });
        expect(error.message).not.toContain("Evil: y");
        expect(server.connections()).toBe(0);
      }),
    ),
  );

  it("rejects more than 64 headers", () =>
    run(
      Effect.gen(function* () {
        const server = yield* canary();
        const client = yield* openHttpEgress({ allow: [server.place] });
        const headers = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`x-${i}`, "1"]));
        expect(yield* Effect.flip(client.request({ url: server.origin, headers }))).toMatchObject({
          code: "outside_refused",
        });
      }),
    ));
});
