export { isAlive } from "../is-alive.ts";

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect } from "vitest";
import { openSession } from "../../../src/mcp/client/open-session.ts";
import type { ToolError } from "../../../src/types/errors.ts";
import type {
  McpServer,
  McpSession,
  McpSessionNotification,
  McpSessionServices,
  NamedMcpServer,
  StdioServer,
} from "../../../src/types/mcp.ts";

const cleanups: (() => unknown)[] = [];

/** Runs after the test, even if the test fails. */
export const onTestEnd = (ending: () => unknown): void => {
  cleanups.push(ending);
};

afterEach(async () => {
  for (const ending of cleanups.splice(0).reverse()) await ending();
});

export const sessionServices: McpSessionServices = {
  reveal: async (value) => (typeof value === "string" ? value : `revealed-${value.secret}`),
  principal: undefined,
  connectTimeoutMs: 20_000,
  callTimeoutMs: 20_000,
};

export const openTestSession = async (
  server: McpServer,
  more: Partial<McpSessionServices & { readonly id: string }> = {},
): Promise<McpSession> => {
  const { id = "toy", ...own } = more;
  const session = await openSession({ ...server, id } as NamedMcpServer, { ...sessionServices, ...own });
  onTestEnd(session.close);
  return session;
};

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const toyServerConfig = (
  era: "both" | "modern" | "legacy",
  more: Partial<StdioServer> = {},
): StdioServer => ({
  command: process.execPath,
  args: [file("./toy-stdio.ts"), era],
  ...more,
});

export const rawServerConfig = (
  behaviors = "",
  more: Partial<StdioServer> & { readonly starts?: string } = {},
): StdioServer => {
  const { starts, ...own } = more;
  return {
    command: process.execPath,
    args: [file("./raw-server.ts"), behaviors, ...(starts === undefined ? [] : [starts])],
    ...own,
  };
};

/** A file that counts how often a child was started. */
export const startsFile = (): { readonly path: string; readonly count: () => number } => {
  const folder = mkdtempSync(join(tmpdir(), "haft-starts-"));
  onTestEnd(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "starts");
  return { path, count: () => readFileSync(path, "utf8").trim().split("\n").length };
};

export const callTestTool = (session: McpSession, name: string, input: unknown = {}, more: object = {}) =>
  session.request({ method: "tools/call", params: { name, arguments: input }, ...more });

export const resultText = (result: Readonly<Record<string, unknown>>): string =>
  (result.content as readonly { readonly text: string }[])[0]?.text ?? "";

export const rejectionOf = async (work: Promise<unknown>): Promise<ToolError> => {
  const failed = await work.then(
    () => undefined,
    (error: unknown) => error as ToolError,
  );
  expect(failed, "it did not fail").toBeDefined();
  return failed as ToolError;
};

/** The first matching notification, whether it was already received or not. */
export const firstNotification = (
  session: McpSession,
  matches: (news: McpSessionNotification) => boolean,
): Promise<McpSessionNotification> =>
  new Promise((resolve) => {
    const stop = session.onNews((news) => {
      if (!matches(news)) return;
      resolve(news);
      queueMicrotask(() => stop());
    });
  });
