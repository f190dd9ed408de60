import { createServer } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { type Oddity, oddHttp } from "../../../../test/kit/mcp/odd-http.ts";
import { oldSse } from "../../../../test/kit/mcp/old-sse.ts";
import { atEnd, call, failureOf, newsOf, open, textOf } from "../../../../test/kit/mcp/scene.ts";
import { listening, stopping, toyHttp, toySessions } from "../../../../test/kit/mcp/toy-http.ts";

const odd = async (oddity: Oddity) => {
  const server = await oddHttp(oddity);
  atEnd(server.stop);
  return server;
};

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

describe("an old server", () => {
  it("is spoken to over SSE when it refuses the newer transport", async () => {
    const old = await oldSse();
    atEnd(old.stop);
    const session = await open({ url: old.url });
    expect(session).toMatchObject({ transport: "sse", era: "legacy", protocol: "2024-11-05" });
    expect(textOf(await call(session, "echo"))).toBe("from long ago");
  });

  it("is not spoken to over SSE when HTTP was asked for by name", async () => {
    const old = await oldSse();
    atEnd(old.stop);
    const failure = await failureOf(open({ url: old.url, transport: "http" }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", retryable: false, failure: { ran: false } });
    expect(failure.message).toContain("HTTP 405");
  });

  it("that ends its stream has ended the session", async () => {
    const old = await oldSse();
    atEnd(old.stop);
    const session = await open({ url: old.url, transport: "sse" });
    const closed = newsOf(session, ({ kind }) => kind === "closed");
    old.hangUp();
    await closed;
    expect(await failureOf(call(session, "echo"))).toMatchObject({ code: "mcp_unreachable" });
  });

  it("cannot have messages posted to another origin", async () => {
    const seen = vi.fn();
    const other = createServer((_, response) => {
      seen();
      response.end();
    });
    const place = await listening(other);
    atEnd(() => stopping(other));
    const old = await oldSse(`http://${place}/messages`);
    atEnd(old.stop);
    expect(await failureOf(open({ url: old.url, transport: "sse" }))).toBeDefined();
    expect(seen).not.toHaveBeenCalled();
  });
});

describe("where requests go", () => {
  it("configured headers reach the server, and secrets in them", async () => {
    const toy = await toyHttp();
    atEnd(toy.stop);
    const session = await open({
      url: toy.url,
      headers: { authorization: { secret: "key" }, "x-team": "a" },
    });
    await call(session, "echo");
    for (const { headers } of toy.seen) {
      expect(headers).toMatchObject({ authorization: "revealed-key", "x-team": "a" });
    }
  });

  it("a redirect to another origin is not followed, and its headers stay home", async () => {
    const seen = vi.fn();
    const other = createServer((_, response) => {
      seen();
      response.end();
    });
    const place = await listening(other);
    atEnd(() => stopping(other));
    const server = await odd((response) => {
      response.writeHead(307, { location: `http://${place}/mcp` }).end();
    });
    const session = await open({ url: server.url, headers: { "x-key": { secret: "key" } } });
    const failure = await failureOf(call(session, "echo"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(seen).not.toHaveBeenCalled();
  });

  it("a redirect within the origin is followed", async () => {
    const server = await odd((response, { id }, request) => {
      if (request.url === "/mcp") return void response.writeHead(307, { location: "/elsewhere" }).end();
      const result = { content: [{ type: "text", text: "moved" }] };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    const session = await open({ url: server.url });
    expect(textOf(await call(session, "echo"))).toBe("moved");
  });

  it("arguments that a tool wants in headers are in headers, however they are written", async () => {
    const toy = await toyHttp();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    await session.listTools();
    expect(textOf(await call(session, "region", { region: "zürich" }))).toBe("in zürich");
    const headers = toy.seen.at(-1)?.headers;
    expect(headers).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "region" });
    const encoded = String(headers?.["mcp-param-region"]);
    expect(encoded).toBe(`=?base64?${Buffer.from("zürich").toString("base64")}?=`);
  });

  it("a tool whose headers were not known is called again with them", async () => {
    const toy = await toyHttp();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    expect(textOf(await call(session, "region", { region: "north" }))).toBe("in north");
  });

  it("a URL with a password is refused before anything is sent", async () => {
    const failure = await failureOf(open({ url: "http://user:password@127.0.0.1:1/mcp" }));
    expect(failure).toMatchObject({ code: "invalid_config" });
    expect(failure.message).not.toContain("password@");
  });
});

describe("a server that answers oddly", () => {
  it.each<[string, Oddity]>([
    [
      "a page instead of a message",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    ["JSON that is broken", (response) => void response.writeHead(200, json).end('{"jsonrpc":')],
    ["JSON that is no message", (response) => void response.writeHead(200, json).end('{"level":"info"}')],
    [
      "an event that is broken",
      (response) => void response.writeHead(200, events).write('data: {"jsonrpc":\n\n'),
    ],
    [
      "a body that is too long",
      (response, { id }) => {
        const result = { content: [{ type: "text", text: "x".repeat(200_000) }] };
        response.writeHead(200, { ...json, "transfer-encoding": "chunked" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      },
    ],
    [
      "an event that is too long",
      (response) => void response.writeHead(200, events).write(`data: ${"x".repeat(200_000)}`),
    ],
    [
      "JSON that is too deep",
      (response, { id }) => {
        const deep = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`;
        response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":${id},"result":${deep}}`);
      },
    ],
  ])("%s is garbage", async (_, oddity) => {
    const { url } = await odd(oddity);
    const session = await open({ url, maxMessageBytes: 100_000 });
    expect(await failureOf(call(session, "echo"))).toMatchObject({
      code: "mcp_garbage",
      failure: { ran: true },
    });
  });

  it("a stream that breaks off before the answer fails the call at once", async () => {
    const { url } = await odd((response) => {
      response.writeHead(200, events);
      response.write(": hello\n\n", () => response.destroy());
    });
    const session = await open({ url });
    expect(await failureOf(call(session, "echo"))).toMatchObject({
      code: "mcp_unreachable",
      failure: { ran: true },
    });
  });

  it.each([
    [500, true, true],
    [503, false, true],
    [429, false, true],
    [401, false, false],
    [403, false, false],
    [418, false, false],
  ])("HTTP %i says whether it ran and may be tried again", async (status, ran, retryable) => {
    const { url } = await odd((response) => void response.writeHead(status).end("no"));
    const session = await open({ url });
    const failure = await failureOf(call(session, "echo"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", retryable, failure: { ran } });
  });

  it("a secret that it repeats is not in the message", async () => {
    const { url } = await odd((response, { id }, request) => {
      const error = {
        code: -32_000,
        message: `bad key ${request.headers["x-key"]}`,
        data: request.headers["x-key"],
      };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    });
    const session = await open({ url, headers: { "x-key": { secret: "key" } } });
    const failure = await failureOf(call(session, "echo"));
    expect(failure.message).toContain("bad key [secret]");
    expect(`${failure.message} ${failure.failure.detail}`).not.toContain("revealed-key");
  });
});

describe("a server that goes away", () => {
  it("refuses the connection: nothing ran, and the session is over", async () => {
    const server = await odd(() => {});
    const session = await open({ url: server.url });
    const closed = newsOf(session, ({ kind }) => kind === "closed");
    await server.stop();
    const failure = await failureOf(call(session, "echo"));
    expect(failure).toMatchObject({ code: "mcp_unreachable", retryable: true });
    await closed;
  });

  it("that was never there is named by its network code", async () => {
    const server = createServer();
    const place = await listening(server);
    await stopping(server);
    const failure = await failureOf(open({ url: `http://${place}/mcp` }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("ECONNREFUSED");
  });

  it("and forgot our session ends it, so that another can be opened", async () => {
    const toy = await toySessions();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    const closed = newsOf(session, ({ kind }) => kind === "closed");
    toy.forget();
    expect(await failureOf(call(session, "echo"))).toMatchObject({
      code: "mcp_unreachable",
      failure: { ran: false },
    });
    await closed;
  });

  it("is told when a session of the old era ends", async () => {
    const toy = await toySessions();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    await session.close();
    expect(toy.seen.at(-1)?.method).toBe("DELETE");
  });
});
