import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Haft } from "haft";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StdioServer } from "../../src/types/mcp.ts";
import { waitFor } from "../kit/wait-for.ts";
import { canLook, pidsWith } from "./garbage/processes.ts";

const mark = `real-servers-${process.pid}-${Date.now()}`;
const packages = createRequire(import.meta.url);

/** These servers ignore further arguments, which mark their processes. */
const server = (name: string, file: string, ...args: readonly string[]): StdioServer => ({
  command: process.execPath,
  args: [join(dirname(packages.resolve(`${name}/package.json`)), file), ...args, mark],
  connectTimeoutMs: 60_000,
});

let home: string;
let haft: Haft;

const stateOf = (id: string) => haft.mcp.list().find((each) => each.id === id);
const call = (
  name: string,
  input: object,
  options: { readonly signal?: AbortSignal } = {},
): Promise<unknown> =>
  (haft.call as (name: string, input: object, options: object) => Promise<unknown>)(name, input, options);
const failureOf = (work: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> =>
  work.then(
    () => expect.fail("it should not have worked"),
    (error) => error,
  );

beforeAll(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "haft-real-")));
  haft = await Haft.open({
    principal: { agent: "tester", allow: ["*"] },
    mcp: {
      lock: false,
      waitMs: 120_000,
      servers: {
        everything: server("@modelcontextprotocol/server-everything", "dist/index.js", "stdio"),
        files: server("@modelcontextprotocol/server-filesystem", "dist/index.js", home),
        memory: {
          ...server("@modelcontextprotocol/server-memory", "dist/index.js"),
          env: { MEMORY_FILE_PATH: join(home, "memory.jsonl") },
        },
        thinking: server("@modelcontextprotocol/server-sequential-thinking", "dist/index.js"),
        browser: server("@playwright/mcp", "cli.js", "--headless", "--isolated", "--user-agent"),
      },
    },
  });
});

afterAll(async () => {
  await haft?.close();
  const left = pidsWith(mark);
  for (const pid of left) process.kill(pid, "SIGKILL");
  rmSync(home, { recursive: true, force: true });
  expect(left).toEqual([]);
});

describe("MCP servers from npm", () => {
  it("are connected, with their tools under the configured names", () => {
    const states = haft.mcp.list().map(({ id, status, reason }) => ({ id, status, reason }));
    expect(states).toEqual(
      ["everything", "files", "memory", "thinking", "browser"].map((id) => ({
        id,
        status: "connected",
        reason: undefined,
      })),
    );
    expect(stateOf("everything")?.tools).toContain("everything/echo");
    expect(stateOf("files")?.tools).toContain("files/read_text_file");
    expect(stateOf("memory")?.tools).toContain("memory/create_entities");
    expect(stateOf("thinking")?.tools).toEqual(["thinking/sequentialthinking"]);
    expect(stateOf("browser")?.tools.length).toBeGreaterThan(15);
  });

  it("write, read and list files only in the allowed folder", async () => {
    const path = join(home, "note.txt");
    await call("files/write_file", { path, content: "Grüße an Ada" });
    expect(readFileSync(path, "utf8")).toBe("Grüße an Ada");
    expect(await call("files/read_text_file", { path })).toEqual({ content: "Grüße an Ada" });
    expect(JSON.stringify(await call("files/list_directory", { path: home }))).toContain("note.txt");
    const refused = await failureOf(call("files/read_text_file", { path: "/etc/hostname" }));
    expect(refused.message).toContain("outside allowed directories");
  });

  it("store and find entities", async () => {
    const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
    await call("memory/create_entities", { entities });
    expect(await call("memory/search_nodes", { query: "Ada" })).toMatchObject({ entities, relations: [] });
  });

  it("return the steps of a thought", async () => {
    const thought = { thought: "One.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
    expect(await call("thinking/sequentialthinking", thought)).toMatchObject({ thoughtHistoryLength: 1 });
  });

  it("return an image as an image", async () => {
    expect(JSON.stringify(await call("everything/get-tiny-image", {}))).toContain("image/png");
  });

  it("do not receive invalid arguments", async () => {
    const failure = await failureOf(call("everything/get-sum", { a: "one", b: 2 }));
    expect(failure.code).toBe("invalid_input");
  });

  it("stop a cancelled call at once, and answer the next one", async () => {
    const abort = new AbortController();
    const tool = "everything/trigger-long-running-operation";
    const long = call(tool, { duration: 60, steps: 600 }, abort);
    await waitFor(async () => expect(await haft.log({ tool })).toHaveLength(1));
    abort.abort();
    expect((await failureOf(long)).code).toBe("cancelled");
    expect(await call("everything/echo", { message: "still here" })).toBe("Echo: still here");
  });

  it.runIf(canLook)("reconnect after a kill during a call, which fails", async () => {
    const [pid] = pidsWith(mark, "server-everything");
    const long = call("everything/trigger-long-running-operation", { duration: 60, steps: 600 });
    const failed = failureOf(long);
    expect(await call("everything/echo", { message: "before" })).toBe("Echo: before");
    process.kill(pid as number, "SIGKILL");
    expect((await failed).code).toBe("mcp_unreachable");
    await waitFor(() => expect(stateOf("everything")).toMatchObject({ status: "connected", reconnects: 1 }));
    expect(await call("everything/echo", { message: "again" })).toBe("Echo: again");
    expect(pidsWith(mark, "server-everything")).not.toContain(pid);
    expect(await call("memory/search_nodes", { query: "Ada" })).toMatchObject({
      entities: [{ name: "Ada" }],
    });
  });
});
