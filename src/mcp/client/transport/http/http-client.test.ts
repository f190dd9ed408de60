import { createServer } from "node:http";
import type { FetchLike } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import {
  callTestTool,
  firstNotification,
  onTestEnd,
  openTestSession,
  rejectionOf,
  resultText,
} from "../../../../../test/kit/mcp/mcp-session-scene.ts";
import { type OddResponder, oddHttp } from "../../../../../test/kit/mcp/odd-http.ts";
import { startOldSse } from "../../../../../test/kit/mcp/old-sse.ts";
import {
  listenOnLoopback,
  startToyHttp,
  startToySessions,
  stopServer,
} from "../../../../../test/kit/mcp/toy-http.ts";
import { CredentialsError } from "../../../../types/errors.ts";
import type { McpSessionServices } from "../../../../types/mcp.ts";

const odd = async (oddity: OddResponder) => {
  const server = await oddHttp(oddity);
  onTestEnd(server.stop);
  return server;
};

/** Requests another authorization when a server rejects one, and sends the request again. */
const renewing = (renew: () => void): NonNullable<McpSessionServices["authorize"]> => {
  const provider = {
    token: async () => "token",
    onUnauthorized: async () => renew(),
    fetch:
      (base: FetchLike): FetchLike =>
      async (url, init) => {
        const response = await base(url, init);
        if (response.status !== 403) return response;
        renew();
        return base(url, init);
      },
  };
  return () => provider;
};

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

describe("legacy server", () => {
  it("is reached over SSE when it rejects the newer transport", async () => {
    const old = await startOldSse();
    onTestEnd(old.stop);
    const session = await openTestSession({ url: old.url });
    expect(session).toMatchObject({ transport: "sse", era: "legacy", protocol: "2024-11-05" });
    expect(resultText(await callTestTool(session, "echo"))).toBe("from long ago");
  });

  it("is not reached over SSE when the transport is configured as http", async () => {
    const old = await startOldSse();
    onTestEnd(old.stop);
    const failure = await rejectionOf(openTestSession({ url: old.url, transport: "http" }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", retryable: false, failure: { ran: false } });
    expect(failure.message).toContain("HTTP 405");
  });

  it("ends the session when it ends its stream", async () => {
    const old = await startOldSse();
    onTestEnd(old.stop);
    const session = await openTestSession({ url: old.url, transport: "sse" });
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    old.hangUp();
    await closed;
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({ code: "mcp_unreachable" });
  });

  it("cannot redirect messages to another origin", async () => {
    const seen = vi.fn();
    const other = createServer((_, response) => {
      seen();
      response.end();
    });
    const place = await listenOnLoopback(other);
    onTestEnd(() => stopServer(other));
    const old = await startOldSse(`http://${place}/messages`);
    onTestEnd(old.stop);
    expect(await rejectionOf(openTestSession({ url: old.url, transport: "sse" }))).toBeDefined();
    expect(seen).not.toHaveBeenCalled();
  });
});

describe("request headers and redirects", () => {
  it("sends configured headers, including secrets", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({
      url: toy.url,
      headers: { authorization: { secret: "key" }, "x-team": "a" },
    });
    await callTestTool(session, "echo");
    for (const { headers } of toy.seen) {
      expect(headers).toMatchObject({ authorization: "revealed-key", "x-team": "a" });
    }
  });

  it("does not follow a redirect to another origin or send headers there", async () => {
    const seen = vi.fn();
    const other = createServer((_, response) => {
      seen();
      response.end();
    });
    const place = await listenOnLoopback(other);
    onTestEnd(() => stopServer(other));
    const server = await odd((response) => {
      response.writeHead(307, { location: `http://${place}/mcp` }).end();
    });
    const session = await openTestSession({ url: server.url, headers: { "x-key": { secret: "key" } } });
    const failure = await rejectionOf(callTestTool(session, "echo"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: true, claimsNotRun: true } });
    expect(seen).not.toHaveBeenCalled();
  });

  it("does not follow a redirect of a call, since the server may have run it", async () => {
    const seen: unknown[] = [];
    const server = await odd((response, _, request) => {
      seen.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const session = await openTestSession({ url: server.url });
    const error = await rejectionOf(callTestTool(session, "echo"));
    expect(error).toMatchObject({ failure: { ran: true, claimsNotRun: true } });
    expect(error.message).toContain("HTTP 307");
    expect(error.message).toContain("set url to the redirect target");
    expect(seen).toEqual(["/mcp"]);
  });

  it("sends arguments in headers when the tool requires it, encoded if needed", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    await session.listTools();
    expect(resultText(await callTestTool(session, "region", { region: "zürich" }))).toBe("in zürich");
    const headers = toy.seen.at(-1)?.headers;
    expect(headers).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "region" });
    const encoded = String(headers?.["mcp-param-region"]);
    expect(encoded).toBe(`=?base64?${Buffer.from("zürich").toString("base64")}?=`);
  });

  it("does not repeat a call whose headers were unknown, and the next call includes them", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    expect(await rejectionOf(callTestTool(session, "region", { region: "north" }))).toMatchObject({
      code: "mcp_refused",
      failure: { ran: true, claimsNotRun: true, cause: { code: -32_020 } },
    });
    expect(resultText(await callTestTool(session, "region", { region: "north" }))).toBe("in north");
  });

  it("rejects a URL with a password before sending a request", async () => {
    const failure = await rejectionOf(openTestSession({ url: "http://user:password@127.0.0.1:1/mcp" }));
    expect(failure).toMatchObject({ code: "invalid_config" });
    expect(failure.message).not.toContain("password@");
  });
});

describe("invalid server response", () => {
  it.each<[string, OddResponder]>([
    ["an HTML page", (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>")],
    ["invalid JSON", (response) => void response.writeHead(200, json).end('{"jsonrpc":')],
    ["JSON that is not a message", (response) => void response.writeHead(200, json).end('{"level":"info"}')],
    ["an invalid event", (response) => void response.writeHead(200, events).write('data: {"jsonrpc":\n\n')],
    [
      "an oversized body",
      (response, { id }) => {
        const result = { content: [{ type: "text", text: "x".repeat(200_000) }] };
        response.writeHead(200, { ...json, "transfer-encoding": "chunked" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      },
    ],
    [
      "an oversized event",
      (response) => void response.writeHead(200, events).write(`data: ${"x".repeat(200_000)}`),
    ],
    [
      "deeply nested JSON",
      (response, { id }) => {
        const deep = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`;
        response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":${id},"result":${deep}}`);
      },
    ],
  ])("%s is reported as mcp_garbage", async (_, oddity) => {
    const { url } = await odd(oddity);
    const session = await openTestSession({ url, maxMessageBytes: 100_000 });
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({
      code: "mcp_garbage",
      failure: { ran: true },
    });
  });

  it("fails the call when the stream ends early", async () => {
    const { url } = await odd((response) => {
      response.writeHead(200, events);
      response.write(": hello\n\n", () => response.destroy());
    });
    const session = await openTestSession({ url });
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({
      code: "mcp_unreachable",
      failure: { ran: true },
    });
  });

  it.each([
    [500, undefined, true],
    [503, true, true],
    [429, true, true],
    [401, true, false],
    [403, true, false],
    [418, true, false],
  ])(
    "reports ran, the claim of the server and whether to retry for a call with HTTP %i",
    async (status, claims, retryable) => {
      const { url } = await odd((response) => void response.writeHead(status).end("no"));
      const session = await openTestSession({ url });
      const failure = await rejectionOf(callTestTool(session, "echo"));
      expect(failure).toMatchObject({ code: "mcp_unreachable", retryable, failure: { ran: true } });
      expect(failure.failure.claimsNotRun).toBe(claims);
      expect(failure.message.includes("the server states that nothing ran")).toBe(claims === true);
    },
  );

  it.each([401, 403])(
    "HTTP %i to a call renews the authorization without repeating the call",
    async (status) => {
      let calls = 0;
      const challenge = { "www-authenticate": 'Bearer error="insufficient_scope"' };
      const { url } = await odd((response) => {
        calls++;
        response.writeHead(status, challenge).end("no");
      });
      let renewed = 0;
      const session = await openTestSession(
        { url, transport: "http" },
        { authorize: renewing(() => renewed++) },
      );
      const failure = await rejectionOf(callTestTool(session, "echo"));
      expect([calls, renewed]).toEqual([1, 1]);
      expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: true, claimsNotRun: true } });
      expect(failure.message).toContain("not sent twice");
    },
  );

  it("reports ran when a rejected call cannot get another authorization", async () => {
    const { url } = await odd((response) => void response.writeHead(401).end("no"));
    const authorize = renewing(() => {
      throw new CredentialsError("token_unavailable", "There is none.", { ran: false });
    });
    const session = await openTestSession({ url, transport: "http" }, { authorize });
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({
      code: "token_unavailable",
      failure: { ran: true, claimsNotRun: true },
    });
  });

  it("removes secrets that the server repeats from the message", async () => {
    const { url } = await odd((response, { id }, request) => {
      const error = {
        code: -32_000,
        message: `bad key ${request.headers["x-key"]}`,
        data: request.headers["x-key"],
      };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    });
    const session = await openTestSession({ url, headers: { "x-key": { secret: "key" } } });
    const failure = await rejectionOf(callTestTool(session, "echo"));
    expect(failure.message).toContain("bad key [secret]");
    expect(`${failure.message} ${failure.failure.detail}`).not.toContain("revealed-key");
  });
});

describe("unavailable server", () => {
  it("refuses the connection, which ends the session", async () => {
    const server = await odd(() => {});
    const session = await openTestSession({ url: server.url });
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    await server.stop();
    const failure = await rejectionOf(callTestTool(session, "echo"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", retryable: true });
    await closed;
  });

  it("is reported with the network code when it never existed", async () => {
    const server = createServer();
    const place = await listenOnLoopback(server);
    await stopServer(server);
    const failure = await rejectionOf(openTestSession({ url: `http://${place}/mcp` }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("ECONNREFUSED");
  });

  it("that forgot the session ends it, so that a new one can be opened", async () => {
    const toy = await startToySessions();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    toy.forget();
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({
      code: "mcp_unreachable",
      failure: { ran: true, claimsNotRun: true },
    });
    await closed;
  });

  it("receives a DELETE request when a legacy session ends", async () => {
    const toy = await startToySessions();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    await session.close();
    expect(toy.seen.at(-1)?.method).toBe("DELETE");
  });
});
