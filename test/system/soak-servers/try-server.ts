// allow-sleep in this file: the report says how long a foreign server takes to connect, and it may never end
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { toWireName } from "../../../src/tools/tool-name.ts";
import type { McpServerState } from "../../../src/types/mcp.ts";
import { askAlone, type Launch } from "./ask-alone.ts";
import { install, path } from "./install.ts";
import type { SoakServer } from "./list.ts";

export interface SoakResult {
  readonly name: string;
  readonly version: string;
  /** Why it could not be tried. */
  readonly trouble?: string;
  readonly era?: string;
  readonly upstream: number;
  readonly old: number;
  readonly modern: number;
  readonly held: readonly { readonly tool: string; readonly reason: string }[];
  readonly losses: number;
  /** Tools that are neither visible nor quarantined. */
  readonly lost: readonly string[];
  readonly orphans: number;
  readonly connectMs?: number;
}

const gatewayFile = fileURLToPath(new URL("gateway.ts", import.meta.url));
const markName = "HAFT_SOAK_MARK";
const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

/** Tries a server alone, then behind a gateway with a legacy and a modern client. */
export const tryServer = async (folder: string, server: SoakServer): Promise<SoakResult> => {
  const { name, version } = server;
  const none = { name, version, upstream: 0, old: 0, modern: 0, held: [], losses: 0, lost: [], orphans: 0 };
  const mark = `soak-${process.pid}-${name}`;
  try {
    const file = await install(folder, server);
    const home = join(folder, "home", name.replaceAll(/[@/]/g, "_"));
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    const launch: Launch = {
      command: process.execPath,
      args: [file, ...(server.args ?? []).map((word) => word.replace("{home}", home))],
      cwd: home,
      env: { PATH: path, HOME: home, TMPDIR: home, [markName]: mark, ...server.env },
    };
    const upstream = await askAlone(launch);
    const seen = await behindGateway(launch);
    return { ...none, ...compared(upstream, seen), orphans: await endOrphans(mark) };
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error);
    return {
      ...none,
      trouble: trouble.replaceAll(/\s+/g, " ").slice(0, 300),
      orphans: await endOrphans(mark),
    };
  }
};

interface Seen {
  readonly state: McpServerState;
  readonly old: readonly string[];
  readonly modern: readonly string[];
  readonly connectMs: number;
}

const behindGateway = async (launch: Launch): Promise<Seen> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [gatewayFile, JSON.stringify(launch)], {
    env: { PATH: path, HOME: launch.cwd, TMPDIR: launch.cwd, [markName]: String(launch.env[markName]) },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-1000);
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      void ended.then(() => reject(new Error(`The gateway ended: ${errors}`)));
    });
    const { url, state } = JSON.parse(line) as { readonly url: string; readonly state: McpServerState };
    const connectMs = Math.round(performance.now() - startedAt);
    return { state, connectMs, old: await oldNames(url), modern: await modernNames(url) };
  } finally {
    const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
    child.kill("SIGTERM");
    await ended;
    clearTimeout(timer);
  }
};

const oldNames = async (url: string): Promise<readonly string[]> => {
  const client = new OldClient({ name: "soak", version: "1" }, { capabilities: { extensions } });
  await client.connect(new OldTransport(new URL(url)) as Parameters<typeof client.connect>[0]);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

const modernNames = async (url: string): Promise<readonly string[]> => {
  const options = { capabilities: { extensions }, versionNegotiation: { mode: { pin: "2026-07-28" } } };
  const client = new Client({ name: "soak", version: "1" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

const compared = (upstream: readonly unknown[], { state, old, modern, connectMs }: Seen) => {
  const usable = state.tools.map(toWireName);
  const held = state.quarantined;
  const unseen = usable.filter((name) => !old.includes(name) || !modern.includes(name));
  const missing = upstream.length - usable.length - held.length;
  const lost = missing > 0 ? [...unseen, `${missing} that the gateway never spoke of`] : unseen;
  return {
    ...(state.era === undefined ? { trouble: state.reason ?? state.status } : { era: state.era }),
    upstream: upstream.length,
    old: old.length,
    modern: modern.length,
    held,
    losses: state.losses?.length ?? 0,
    lost,
    connectMs,
  };
};

/** Processes with the mark, including descendants. */
const markedBy = (mark: string): readonly number[] =>
  (existsSync("/proc/self") ? readdirSync("/proc") : [])
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${markName}=${mark}`) &&
          !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
        );
      } catch {
        return false;
      }
    })
    .map(Number);

const endOrphans = async (mark: string): Promise<number> => {
  for (let tries = 0; tries < 20 && markedBy(mark).length > 0; tries++) await pause(100);
  const left = markedBy(mark);
  for (const pid of left) process.kill(pid, "SIGKILL");
  return left.length;
};
