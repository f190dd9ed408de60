import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { spread } from "../numbers.ts";
import { serveChild, stop } from "./children.ts";
import { freePort } from "./ports.ts";

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly tool: string;
  readonly close: () => Promise<void>;
}

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const proxy = fileURLToPath(new URL("../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs", import.meta.url));

/** One upstream directly, and behind two gateways. */
export const openTargets = async (everything: string, folder: string): Promise<readonly Target[]> => {
  const [bare, ours, theirs] = [await freePort(), await freePort(), await freePort()];
  const upstream = await serveChild([everything, "streamableHttp"], bare, { PORT: String(bare) });
  const config = join(folder, "haft.config.json");
  const servers = { everything: { command: process.execPath, args: [everything, "stdio"] } };
  writeFileSync(config, JSON.stringify({ ledger: "memory", mcp: { lock: false, servers } }));
  const gateway = await serveChild(
    [
      here("dist/cli/main.js"),
      "serve",
      "--trust",
      "--http",
      "--port",
      String(ours),
      "--config",
      config,
      "--ledger",
      "memory",
    ],
    ours,
  );
  const rival = await serveChild(
    [
      proxy,
      "--port",
      String(theirs),
      "--host",
      "127.0.0.1",
      "--server",
      "stream",
      "--",
      process.execPath,
      everything,
      "stdio",
    ],
    theirs,
  );
  const target = (name: string, port: number, tool: string, child: Parameters<typeof stop>[0]): Target => ({
    name,
    url: `http://127.0.0.1:${port}/mcp`,
    tool,
    close: () => stop(child),
  });
  return [
    target("bare upstream", bare, "echo", upstream),
    target("haft serve", ours, "everything__echo", gateway),
    target("mcp-proxy", theirs, "echo", rival),
  ];
};

/** Calls per second with a given concurrency, the median of interleaved rounds. */
export const measureTargets = async (
  targets: readonly Target[],
  rounds: number,
  seconds: number,
  inFlight: number,
): Promise<readonly { readonly name: string; readonly perSecond: number }[]> => {
  const clients = await Promise.all(
    targets.map(async ({ url }) => {
      const client = new Client({ name: "bench", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      return client;
    }),
  );
  const rates = targets.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, { tool }] of targets.entries()) {
      const rate = await load(clients[index]!, tool, round === -1 ? 1 : seconds, inFlight);
      if (round >= 0) rates[index]!.push(rate);
    }
  }
  await Promise.all(clients.map((client) => client.close()));
  return targets.map(({ name }, index) => ({ name, perSecond: spread(rates[index]!).median }));
};

const load = async (client: Client, tool: string, seconds: number, inFlight: number): Promise<number> => {
  const since = performance.now();
  const until = since + seconds * 1_000;
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const { isError, content } = await client.callTool({ name: tool, arguments: { message: "hello" } });
      if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(content)}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return done / ((performance.now() - since) / 1_000);
};
