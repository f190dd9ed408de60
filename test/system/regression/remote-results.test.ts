import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import * as Effect from "effect/Effect";
import { Haft } from "haft";
import type { ToolLayer } from "haft/layers";
import { serveStdio } from "haft/mcp";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-results-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
const result = { content: [{ type: "text", text: "the key is hunter2hunter2" }, image], _meta: { "x/y": 1 } };

const script = `
  import { createInterface } from "node:readline";
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const serverInfo = { name: "art", version: "1" };
    if (method === "initialize") say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
    else if (method === "tools/list") say({ id, result: { tools: [{ name: "draw", inputSchema: { type: "object" } }] } });
    else if (method === "tools/call") say({ id, result: ${JSON.stringify(result)} });
    else if (id !== undefined) say({ id, error: { code: -32601, message: "Method not found" } });
  });
`;

/** The result that a gateway client receives from the tool of that server. */
const drawn = async (options: { readonly layers?: readonly ToolLayer[]; readonly credentials?: object }) => {
  const file = join(folder, "art.mjs");
  writeFileSync(file, script);
  const servers = { art: { command: process.execPath, args: [file] } };
  await using haft = await Haft.open({
    principal: { agent: "tester", allow: ["*"] },
    mcp: { servers, lock: false },
    ...options,
  } as Parameters<typeof Haft.open>[0]);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const connection = await serveStdio(haft, { stdin, stdout });
  const answered = Promise.withResolvers<unknown>();
  let said = "";
  stdout.on("data", (chunk) => {
    said += String(chunk);
    const line = said.split("\n").find((each) => each.includes('"id":1'));
    if (line !== undefined && said.endsWith("\n")) answered.resolve(JSON.parse(line).result);
  });
  const say = (message: object): boolean =>
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  say({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  say({ method: "notifications/initialized" });
  say({ id: 1, method: "tools/call", params: { name: "art__draw", arguments: {} } });
  const given = await answered.promise;
  await connection.close();
  return given;
};

it("a result of a server is passed to the client unchanged", async () => {
  expect(await drawn({})).toEqual(result);
});

it("a result that a layer replaced is passed to the client as replaced", async () => {
  const quiet: ToolLayer = (next) => (call) =>
    Effect.map(next(call), (outcome) =>
      outcome._tag === "value" ? { ...outcome, value: "nothing to see" } : outcome,
    );
  expect(await drawn({ layers: [quiet] })).toMatchObject({
    content: [{ type: "text", text: "nothing to see" }],
  });
});

it("a secret in a result is masked, and its images are kept", async () => {
  const credentials = { values: { entryPoint: "hunter2hunter2" } };
  const given = JSON.stringify(await drawn({ credentials }));
  expect(given).not.toContain("hunter2");
  expect(given).toContain("aGVsbG8=");
});
