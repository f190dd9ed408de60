import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { afterEach, beforeEach } from "vitest";
import { readServer } from "../../../src/mcp/client/read-server.ts";
import { lockServer } from "../../../src/mcp/lock/lock-server.ts";
import { writeLock } from "../../../src/mcp/lock/write-lock.ts";
import type { RemoteTool } from "../../../src/types/mcp.ts";

const server = fileURLToPath(new URL("changing-server.ts", import.meta.url));

export const greet: RemoteTool = {
  name: "greet",
  description: "Greets a person by name",
  inputSchema: { type: "object", properties: { name: { type: "string", default: "Ada" } } },
};

let folder: string;
let haft: Haft | undefined;

/** A folder per test, and a runtime that is closed with the test. */
export const inOwnFolder = (): void => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-lock-"));
  });
  afterEach(async () => {
    await haft?.close();
    haft = undefined;
    rmSync(folder, { recursive: true, force: true });
  });
};

export const at = (name: string): string => join(folder, name);

/** Writes a file atomically, as editors and `haft lock` do. */
export const put = (name: string, text: string): void => {
  writeFileSync(at(`${name}.new`), text);
  renameSync(at(`${name}.new`), at(name));
};

/** Sets the tools of the server of `config`. */
export const say = (...tools: readonly RemoteTool[]): void => put("tools.json", JSON.stringify(tools));

export const config = (...more: readonly string[]) => ({
  command: process.execPath,
  args: [server, at("tools.json"), ...more],
});

export const approve = (...tools: readonly RemoteTool[]): void => {
  const people = lockServer(readServer("people", config()), undefined, tools);
  put("haft.lock", writeLock({ lockVersion: 1, servers: { people } }));
};

export const openWith = async (
  lock: string | false,
  servers: Record<string, ReturnType<typeof config>> = { people: config() },
): Promise<Haft> => {
  haft = await Haft.open({ principal: { agent: "test", allow: ["*"] }, mcp: { lock, servers } });
  return haft;
};
