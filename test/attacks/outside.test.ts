import type { RequestListener } from "node:http";
import { type connect, isIP, Socket, type TcpNetConnectOpts } from "node:net";
import * as Effect from "effect/Effect";
import { Haft, http, type Reply, type ToolError, tool } from "haft";
import { HttpEgress } from "haft/effect";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpEgressOptions } from "../../src/base/http/open-http-egress.ts";
import type { HttpOptions } from "../../src/tools/http.ts";
import { type LoopbackServer, loopbackServer } from "../loopback-server.ts";

const principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;

afterEach(() => {
  vi.restoreAllMocks();
});

const reached: RequestListener = (_, response) => void response.end("reached");

/** Runs a test with a loopback server that an attack tries to reach. */
const sibling = <A>(body: (target: LoopbackServer) => Promise<A>, answer = reached): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(loopbackServer(answer), (target) => Effect.promise(() => body(target)))),
  );

interface Visit {
  readonly reply: Reply | undefined;
  /** Bodies that the response mapping received; it is the only author code in an HTTP tool. */
  readonly mapped: readonly string[];
}

/** Calls an HTTP tool through the public API. */
const visit = async (
  options: HttpOptions & { readonly input?: unknown },
  outside: HttpEgressOptions = {},
): Promise<Visit> => {
  const mapped: string[] = [];
  const { input = {}, ...rest } = options;
  const fetch = tool({
    name: "fetch",
    description: "Fetches a page",
    input: any,
    implementation: http({
      ...rest,
      response: (response) => {
        mapped.push(response.text());
        return response.text();
      },
    }),
  });
  await using haft = await Haft.open({ tools: [fetch], principal, httpEgress: outside });
  const [reply] = await haft.turn([{ id: "1", tool: "fetch", input: JSON.stringify(input) }]);
  return { reply, mapped };
};

const refusedAtDefinition = async (attempt: Promise<Visit>): Promise<ToolError | undefined> =>
  attempt.then(
    () => undefined,
    (error: ToolError) => error,
  );

const toLoopback: HttpEgressOptions = {
  lookup: (_, answer) => answer(null, [{ address: "127.0.0.1", family: 4 }]),
};

describe("internal addresses", () => {
  // PORT is the port of a server that listens on loopback and must never be reached.
  const attacks = [
    "http://127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://１２７.０.０.１:PORT/",
    "http://0.0.0.0:PORT/",
    "http://0:PORT/",
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
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://168.63.129.16/machine",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://example.com:22/",
    "http://resolves-to-loopback.example:PORT/",
  ];
  const schemes = [
    "file:///etc/hosts",
    "gopher://127.0.0.1:PORT/_GET%20/",
    "ftp://127.0.0.1:PORT/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "http://example.com@127.0.0.1:PORT/",
  ];

  it.each(attacks)("refuses a tool with the address %s when it is called", (attack) =>
    sibling(async (target) => {
      const { reply, mapped } = await visit({ url: attack.replace("PORT", String(target.port)) }, toLoopback);
      expect(reply?.failure).toMatchObject({ code: "outside_refused" });
      expect(mapped).toEqual([]);
      expect(target.seen).toEqual([]);
    }),
  );

  it.each(schemes)("refuses to define a tool with the address %s", (attack) =>
    sibling(async (target) => {
      const error = await refusedAtDefinition(visit({ url: attack.replace("PORT", String(target.port)) }));
      expect(error).toMatchObject({ _tag: "ToolDefinitionError", code: "invalid_definition" });
      expect(target.connections()).toBe(0);
    }),
  );

  it.each([...attacks, ...schemes])("refuses an address that a model chose, such as %s", (attack) =>
    sibling(async (target) => {
      let ran = 0;
      const browse = tool({
        name: "browse",
        description: "Opens what the model names",
        input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] } as const,
        run: ({ url }) =>
          Effect.gen(function* () {
            const outside = yield* HttpEgress;
            yield* outside.request({ url });
            ran++;
          }),
      });
      await using haft = await Haft.open({ tools: [browse], principal, httpEgress: toLoopback });
      const input = JSON.stringify({ url: attack.replace("PORT", String(target.port)) });
      const [reply] = await haft.turn([{ id: "1", tool: "browse", input }]);
      expect(reply?.failure).toMatchObject({ code: "outside_refused" });
      expect(ran).toBe(0);
      expect(target.seen).toEqual([]);
    }),
  );

  it("keeps a model's argument inside the path that the author wrote", () =>
    sibling(async (target) => {
      const outside = { allow: [target.place] };
      for (const id of ["../admin", "..", "a/../../b", "\\..\\x", "%2e%2e", "", "@evil.example/"]) {
        await visit({ url: `${target.origin}/users/{id}`, input: { id } }, outside);
      }
      expect(target.seen.filter(({ url }) => !/^\/users\/[^/]+$/.test(url))).toEqual([]);
    }));
});

describe("redirects to internal addresses", () => {
  it.each(["http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::1]:PORT/", "file:///etc/hosts"])(
    "does not follow a redirect to %s",
    (attack) =>
      sibling(async (target) => {
        const location = attack.replace("PORT", String(target.port));
        await sibling(
          async (source) => {
            const { reply, mapped } = await visit({ url: source.origin }, { allow: [source.place] });
            expect(reply?.failure).toMatchObject({ code: "outside_refused", ran: true });
            expect(mapped).toEqual([]);
          },
          (_, response) => void response.writeHead(302, { location }).end(),
        );
        expect(target.seen).toEqual([]);
      }),
  );
});

describe("DNS rebinding", () => {
  it("refuses a name that resolves to a public address first and to 127.0.0.1 later", () =>
    sibling(async (target) => {
      const net = await import("node:net");
      let asked = 0;
      // The connection to a public address is destroyed: tests have no network.
      const spy = vi.spyOn(net.default, "connect").mockImplementationOnce(((options: TcpNetConnectOpts) => {
        const socket = new Socket();
        options.lookup?.("rebind.example", { all: true }, () => socket.destroy(new Error("unplugged")));
        return socket;
      }) as typeof connect);
      const fetch = tool({
        name: "fetch",
        description: "Fetches a page",
        input: any,
        implementation: http({ url: `http://rebind.example:${target.port}/` }),
      });
      await using haft = await Haft.open({
        tools: [fetch],
        principal,
        httpEgress: {
          lookup: (_, answer) => {
            const address = asked++ === 0 ? "8.8.8.8" : "127.0.0.1";
            answer(null, [{ address, family: isIP(address) }]);
          },
        },
      });
      const codes: unknown[] = [];
      for (const id of ["1", "2"]) {
        const [reply] = await haft.turn([{ id, tool: "fetch", input: "{}" }]);
        codes.push(reply?.failure?.code);
      }
      expect(codes).toEqual(["failed", "outside_refused"]);
      expect(spy).toHaveBeenCalledTimes(2);
      expect(target.seen).toEqual([]);
    }));
});

describe("line breaks in headers", () => {
  it.each(["a\r\nX-Evil: y", "a\nb", "a\r", "a\0b", "snowman ☃"])(
    "refuses a value of %j without sending a request",
    (note) =>
      sibling(async (target) => {
        const { reply, mapped } = await visit(
          { url: target.origin, headers: { "x-note": (input) => input.note }, input: { note } },
          { allow: [target.place] },
        );
        expect(reply?.failure).toMatchObject({ code: "failed", ran: false, retryable: false });
        expect(reply?.text).not.toContain("X-Evil");
        expect(mapped).toEqual([]);
        expect(target.connections()).toBe(0);
      }),
  );

  it.each(["x-note\r\nX-Evil", "host", "Content-Length", "transfer-encoding", ""])(
    "refuses to define a tool with the header %j",
    async (name) => {
      const error = await refusedAtDefinition(
        visit({ url: "https://example.com/", headers: { [name]: "1" } }),
      );
      expect(error).toMatchObject({ code: "invalid_definition" });
    },
  );
});
