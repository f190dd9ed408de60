import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { describe, expect, it } from "vitest";
import { probeBubblewrap } from "../../../src/sandbox/bubblewrap/probe-bubblewrap.ts";
import { callTestTool, onTestEnd, openTestSession, resultText } from "../../kit/mcp/mcp-session-scene.ts";

const probed = await Effect.runPromiseExit(probeBubblewrap);
const reason = Exit.isSuccess(probed) ? "" : " (skipped: bubblewrap is missing or does not isolate programs)";

describe.skipIf(reason !== "")(`MCP server in bubblewrap${reason}`, () => {
  it("answers, and sees only its allowed files", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-sandboxed-"));
    onTestEnd(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "canary"), "outside");
    writeFileSync(join(folder, "server.mjs"), server);
    const given = mkdtempSync(join(folder, "given-"));
    const session = await openTestSession({
      command: process.execPath,
      args: [join(folder, "server.mjs"), join(folder, "canary"), given],
      era: "legacy",
      sandbox: { engine: "bubblewrap", read: [process.execPath, join(folder, "server.mjs")], write: [given] },
    });
    expect(JSON.parse(resultText(await callTestTool(session, "look")))).toEqual({
      canary: "ENOENT",
      wrote: true,
      home: "/tmp",
    });
    expect(readFileSync(join(given, "note"), "utf8")).toBe("kept");
  });
});

/** Minimal MCP server that supports one tool call. */
const server = `
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [canary, given] = process.argv.slice(2);
const look = () => {
  let seen;
  try { seen = readFileSync(canary, "utf8") } catch (error) { seen = error.code }
  writeFileSync(given + "/note", "kept");
  return { canary: seen, wrote: true, home: process.env.HOME };
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: JSON.stringify(look()) }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: "no" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
});
`;
