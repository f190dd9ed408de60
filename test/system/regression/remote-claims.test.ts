import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft } from "haft";
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

/** How often the server acted, counted in a file. */
const acts = (): number => readFileSync(join(folder, "acts"), "utf8").length;

/** A minimal MCP server that acts on every call and then replies with the error code in the tool name. */
const script = `
  import { appendFileSync } from "node:fs";
  import { createInterface } from "node:readline";
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const names = ["pay_32700", "pay_32600", "pay_32601", "pay_32602", "pay_32020", "pay_32021", "hang"];
  const tools = names.map((name) => ({ name, description: "Pays", inputSchema: { type: "object" } }));
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "bank", version: "1" } } });
    } else if (method === "tools/list") say({ id, result: { tools } });
    else if (method === "tools/call") {
      appendFileSync(process.argv[2], "x");
      if (params.name === "hang") return;
      say({ id, error: { code: -Number(params.name.slice(4)), message: "Unknown tool" } });
    } else if (id !== undefined) say({ id, error: { code: -32601, message: "Method not found" } });
  });
`;

const bank = () => {
  const file = join(folder, "bank.mjs");
  writeFileSync(file, script);
  return { command: process.execPath, args: [file, join(folder, "acts")] };
};

const opened = async (options: Parameters<typeof Haft.open>[0]): Promise<Haft> => {
  const haft = await Haft.open({ principal, ...options } as never);
  open.push(() => haft.close());
  return haft;
};

const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error("it answered")),
    (error: { readonly failure: object; readonly message: string }) => error,
  );

/** Calls with the same key three times and returns the entry of the first call. */
const callThrice = async (haft: Haft, name: string) => {
  const call = () => failureOf(haft.call(name, {}, { idempotencyKey: "one" }));
  const errors = [await call(), await call(), await call()];
  const [entry] = await haft.log({ tool: name });
  return { errors, entry };
};

describe("MCP server that acts on a call and then reports that it did not start", () => {
  it.each(["32601", "32602", "32600", "32700", "32020", "32021"])(
    "is called once per key with error -%s",
    async (code) => {
      const haft = await opened({ mcp: { servers: { bank: bank() }, lock: false } });
      const { errors, entry } = await callThrice(haft, `bank/pay_${code}`);
      expect(acts()).toBe(1);
      expect(entry).toMatchObject({ ending: "failed", ran: true, claimsNotRun: true });
      expect(errors[0]?.failure).toMatchObject({ ran: true, claimsNotRun: true });
      expect(errors[0]?.message).toContain("states that nothing ran");
    },
  );

  it("is not called again by retry", async () => {
    const haft = await opened({
      mcp: { servers: { bank: bank() }, lock: false },
      layers: [retry({ attempts: 3, base: "1 millis" })],
    });
    await failureOf(haft.call("bank/pay_32601", {}));
    expect(acts()).toBe(1);
  });
});

describe("timeout of an MCP tool", () => {
  it("is the default of all tools unless mcp.requestTimeoutMs is set", async () => {
    // The tool list has the same limit, and is answered.
    const config = { execution: { defaultTimeoutMs: 5_000 } };
    const haft = await opened({ config, mcp: { servers: { bank: bank() }, lock: false } });
    expect(haft.get("bank/hang")?.timeoutMs).toBe(5_000);
    const error = await failureOf(haft.call("bank/hang", {}));
    expect(error).toMatchObject({ code: "timed_out", failure: { ran: true } });
    const other = await opened({
      config: { ...config, mcp: { requestTimeoutMs: 7_000 } },
      mcp: { servers: { bank: bank() }, lock: false },
    });
    expect(other.get("bank/hang")?.timeoutMs).toBe(7_000);
  });
});
