import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import * as Effect from "effect/Effect";
import { namespaceArguments, rootProblem } from "../../../../sandbox/bubblewrap/namespace-arguments.ts";
import { probeBubblewrap } from "../../../../sandbox/bubblewrap/probe-bubblewrap.ts";
import { splitEnvironment } from "../../../../sandbox/bubblewrap/run-sandboxed-command.ts";
import { findProgram } from "../../../../sandbox/child/find-program.ts";
import { MCPConnectionError } from "../../../../types/errors.ts";
import type { NamedMcpServer, ServerSandbox, StdioServer } from "../../../../types/mcp.ts";

export interface SandboxedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export const normalizeSandbox = (sandbox: NonNullable<StdioServer["sandbox"]>): ServerSandbox =>
  typeof sandbox === "string" ? { engine: sandbox } : sandbox;

/** Wraps the command in bubblewrap; never falls back to running without it. */
export const createSandboxedStart = async (
  server: StdioServer & Pick<NamedMcpServer, "id">,
  sandbox: ServerSandbox,
  env: Readonly<Record<string, string>>,
  probe = probeBubblewrap,
): Promise<SandboxedStart> => {
  const { read = [], write = [], network } = sandbox;
  const { cwd } = server;
  const readOnly = cwd === undefined ? read : [...read, cwd];
  const refuse = (why: string): MCPConnectionError =>
    new MCPConnectionError("mcp_unreachable", `The MCP server "${server.id}" is not started: ${why}`, {
      ran: false,
      serverName: server.id,
      transport: "stdio",
    });
  for (const path of [...readOnly, ...write]) {
    const why = rootProblem(path);
    if (why !== undefined) throw refuse(`a path of its sandbox is refused: ${why}.`);
  }
  const { bwrap } = await Effect.runPromise(Effect.mapError(probe, ({ message }) => refuse(message)));
  const hidden = findHiddenProgram(server.command, [...readOnly, ...write]);
  if (hidden !== undefined)
    throw refuse(
      `its command is ${JSON.stringify(hidden)}, which is not visible in its sandbox. Add the folder of that program to sandbox.read.`,
    );
  const { outside, inside } = splitEnvironment({ ...env, ...homeVariables(server) });
  const view = { readOnly, writable: write, network, cwd: cwd ?? "/tmp", setInside: inside };
  const args = [...namespaceArguments(view), server.command, ...(server.args ?? [])];
  return { command: bwrap, args, env: outside, cwd: "/" };
};

/** The user's folders are not mounted. */
const homeVariables = ({ env = {}, inheritEnv = [] }: StdioServer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]
      .filter((name) => !Object.hasOwn(env, name) && !inheritEnv.includes(name))
      .map((name) => [name, "/tmp"]),
  );

const visibleFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store"];

/** A program that exists but is not visible in the sandbox. */
const findHiddenProgram = (command: string, roots: readonly string[]): string | undefined => {
  const file = isAbsolute(command) ? command : command.includes("/") ? undefined : findProgram(command);
  if (file === undefined) return undefined;
  const isShown = (path: string): boolean =>
    [...visibleFolders, ...roots].some(
      (root) => path === root || path.startsWith(`${root.replace(/\/+$/, "")}/`),
    );
  return [file, realPathOf(file)].find((path) => !isShown(path));
};

const realPathOf = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};
