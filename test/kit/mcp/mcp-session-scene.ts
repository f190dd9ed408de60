export { isAlive } from "../is-alive.ts";

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect } from "vitest";
import { openSession } from "../../../src/mcp/client/open-session.ts";
import type { ToolError } from "../../../src/words/errors.ts";
import type {
  McpServer,
  McpSession,
  NamedServer,
  SessionNews,
  SessionServices,
  StdioServer,
} from "../../../src/words/mcp.ts";

const endings: (() => unknown)[] = [];

/** Runs whatever the test does. */
export const atEnd = (ending: () => unknown): void => {
  endings.push(ending);
};

afterEach(async () => {
  for (const ending of endings.splice(0).reverse()) await ending();
});

export const services: SessionServices = {
  reveal: async (value) => (typeof value === "string" ? value : `revealed-${value.secret}`),
  principal: undefined,
  connectTimeoutMs: 20_000,
  callTimeoutMs: 20_000,
};

export const open = async (
  server: McpServer,
  more: Partial<SessionServices & { readonly id: string }> = {},
): Promise<McpSession> => {
  const { id = "toy", ...own } = more;
  const session = await openSession({ ...server, id } as NamedServer, { ...services, ...own });
  atEnd(session.close);
  return session;
};

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const toyChild = (
  era: "both" | "modern" | "legacy",
  more: Partial<StdioServer> = {},
): StdioServer => ({
  command: process.execPath,
  args: [file("./toy-stdio.ts"), era],
  ...more,
});

export const rawChild = (
  habits = "",
  more: Partial<StdioServer> & { readonly starts?: string } = {},
): StdioServer => {
  const { starts, ...own } = more;
  return {
    command: process.execPath,
    args: [file("./raw-server.ts"), habits, ...(starts === undefined ? [] : [starts])],
    ...own,
  };
};

/** A file that counts how often a child was started. */
export const startsFile = (): { readonly path: string; readonly count: () => number } => {
  const folder = mkdtempSync(join(tmpdir(), "haft-starts-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "starts");
  return { path, count: () => readFileSync(path, "utf8").trim().split("\n").length };
};

export const call = (session: McpSession, name: string, input: unknown = {}, more: object = {}) =>
  session.request({ method: "tools/call", params: { name, arguments: input }, ...more });

export const textOf = (result: Readonly<Record<string, unknown>>): string =>
  (result.content as readonly { readonly text: string }[])[0]?.text ?? "";

export const failureOf = async (work: Promise<unknown>): Promise<ToolError> => {
  const failed = await work.then(
    () => undefined,
    (error: unknown) => error as ToolError,
  );
  expect(failed, "it did not fail").toBeDefined();
  return failed as ToolError;
};

/** The first news that fits, whenever it comes. */
export const newsOf = (session: McpSession, fits: (news: SessionNews) => boolean): Promise<SessionNews> =>
  new Promise((resolve) => {
    const stop = session.onNews((news) => {
      if (!fits(news)) return;
      resolve(news);
      queueMicrotask(() => stop());
    });
  });
