import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, http, tool } from "haft";
import { retry } from "haft/layers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const open: (() => unknown)[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-claims-"));
  writeFileSync(join(folder, "acts"), "");
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** How often the remote acted, counted in a file. */
const acts = (): number => readFileSync(join(folder, "acts"), "utf8").length;
const act = (): void => appendFileSync(join(folder, "acts"), "x");

const opened = async (options: Parameters<typeof Haft.open>[0]): Promise<Haft> => {
  const haft = await Haft.open({ principal, ...options } as never);
  open.push(() => haft.close());
  return haft;
};

const listening = async (
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) => {
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error("it answered")),
    (error: { readonly failure: object; readonly message: string }) => error,
  );

/** Calls three times under the same key, and returns the row of the first call. */
const callThrice = async (haft: Haft, name: string) => {
  const call = () => failureOf(haft.call(name, {}, { idempotencyKey: "one" }));
  const errors = [await call(), await call(), await call()];
  const [entry] = await haft.log({ tool: name });
  return { errors, entry };
};

/** Speaks MCP over HTTP at `/mcp/`, acts on every call, and then refuses it with this status. */
const httpBank = (status: number) =>
  listening((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (request.url === "/mcp") return void response.writeHead(307, { location: "/mcp/" }).end();
    const { id, method } = JSON.parse(body) as { readonly id?: unknown; readonly method: string };
    const answer = (result: object): void =>
      void response
        .writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "initialize") {
      const serverInfo = { name: "bank", version: "1" };
      return answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") {
      return answer({ tools: [{ name: "pay", description: "Pays", inputSchema: { type: "object" } }] });
    }
    if (method === "tools/call") {
      act();
      if (status === 200) return answer({ content: [{ type: "text", text: "paid" }] });
      return void response.writeHead(status, { "retry-after": "0", location: "/mcp/again" }).end("no");
    }
    return void response.writeHead(id === undefined ? 202 : 404).end();
  });

describe("an MCP server over HTTP that acts on a call and then refuses it", () => {
  const openAt = async (place: string) =>
    opened({
      mcp: { servers: { bank: { url: `http://${place}`, transport: "http", oauth: false } }, lock: false },
      layers: [retry({ attempts: 3, base: "1 millis" })],
    });

  it.each([301, 302, 307, 308, 401, 403, 404, 429, 503])(
    "with HTTP %i is called once under one key and once under retry",
    async (status) => {
      const haft = await openAt(`${await httpBank(status)}/mcp/`);
      const { entry } = await callThrice(haft, "bank/pay");
      expect(acts()).toBe(1);
      expect(entry).toMatchObject({ ending: "failed", ran: true, claimsNotRun: true });
    },
  );

  it("is called at the target of its first redirect, so that no call is redirected", async () => {
    const haft = await openAt(`${await httpBank(200)}/mcp`);
    expect(await haft.call("bank/pay", {})).toBe("paid");
    expect(acts()).toBe(1);
  });
});

describe("a web service that acts on a POST and then refuses it", () => {
  const payAt = (place: string, annotations = {}) =>
    tool({
      name: "pay",
      description: "Pays",
      input: { type: "object" } as const,
      annotations,
      implementation: http({ url: `http://${place}/`, method: "POST" }),
    }).layer(retry({ attempts: 3, base: "1 millis" }));

  const refusing = (status: number) =>
    listening((_, response) => {
      act();
      const location = status < 400 ? { location: "/again" } : {};
      response.writeHead(status, { "retry-after": "0", ...location }).end("slow down");
    });

  it.each([307, 308, 429, 503])(
    "with %i is called once under one key and once under retry",
    async (status) => {
      const place = await refusing(status);
      const haft = await opened({ tools: [payAt(place)], httpEgress: { allow: [place] } });
      const { errors, entry } = await callThrice(haft, "pay");
      expect(acts()).toBe(1);
      expect(entry).toMatchObject({ ending: "failed", ran: true, claimsNotRun: true });
      expect(errors[0]?.message).toContain("states that nothing was done");
    },
  );

  it("is called again by retry if its tool is idempotent", async () => {
    const place = await refusing(429);
    const haft = await opened({
      tools: [payAt(place, { idempotent: true })],
      httpEgress: { allow: [place] },
    });
    await failureOf(haft.call("pay", {}));
    expect(acts()).toBe(3);
  });

  it("frees its key only if the client knows that nothing was sent", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const place = `127.0.0.1:${(gone.address() as AddressInfo).port}`;
    await new Promise((resolve) => gone.close(resolve));
    const haft = await opened({ tools: [payAt(place)], httpEgress: { allow: [place] } });
    const { errors, entry } = await callThrice(haft, "pay");
    expect(errors[0]?.failure).toMatchObject({ ran: false });
    expect(errors[0]?.failure).not.toHaveProperty("claimsNotRun");
    expect(entry).toMatchObject({ ending: "failed", ran: false });
    expect((await haft.log({ tool: "pay" })).map(({ notes }) => notes)).not.toContainEqual([
      expect.stringContaining("replayed"),
    ]);
  });
});
