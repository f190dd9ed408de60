import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChildServer, startScript } from "./start-script.ts";
import { root } from "./suites.ts";

/** The built command line, unless another one is set. */
const haft = process.env.HAFT_BIN ?? "dist/cli/main.js";
const serve = ["serve", "--http", "--port", "0", "--trust"];
const address = /http:\/\/\S+\/mcp/;

export interface ConformanceTarget {
  readonly url: string;
  /** Stops it, and resolves with errors of the shutdown. */
  readonly stop: () => Promise<readonly string[]>;
  /** Number of ledger entries by tool; empty without a ledger. */
  readonly recorded: () => ReadonlyMap<string, number>;
}

const stopChild = async (what: string, child: ChildServer): Promise<readonly string[]> => {
  const code = await child.stop();
  return code === 0
    ? []
    : [`${what} ended with ${code} when it was asked to end: ${child.output().slice(-500)}`];
};

/** The upstream alone, which is the baseline for the gateway. */
export const startUpstream = async (): Promise<ConformanceTarget> => {
  const child = startScript("test/system/conformance/upstream.ts", "--http", "0");
  const url = await child.printed(address, 20_000);
  const stop = async () => {
    await child.stop();
    return [];
  };
  return { url, stop, recorded: () => new Map() };
};

/** The gateway in front of the upstream, with no policy or layers. */
export const startGateway = async (folder: string): Promise<ConformanceTarget> => {
  const ledger = `sqlite:${join(folder, "ledger.db")}`;
  const config = join(folder, "haft.config.json");
  const upstream = {
    command: process.execPath,
    args: [join(root, "test/system/conformance/upstream.ts")],
    names: "bare",
    risk: "low",
  };
  writeFileSync(
    config,
    JSON.stringify({
      ledger,
      mcp: { servers: { upstream }, lock: false, truncateToFile: false },
      serve: { taint: "off", tasks: "pass" },
    }),
  );
  const child = startScript(haft, ...serve, "--config", config);
  const url = await child.printed(address, 30_000).catch(async (error: Error) => {
    await child.stop();
    throw error;
  });
  const recorded = () => {
    const words = [haft, "log", "--json", "--limit", "100000", "--ledger", ledger];
    const { stdout } = spawnSync(process.execPath, words, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    const counts = new Map<string, number>();
    for (const line of stdout.split("\n").filter((each) => each !== "")) {
      const tool = String(JSON.parse(line).tool).replace(/^.*\//, "");
      counts.set(tool, (counts.get(tool) ?? 0) + 1);
    }
    return counts;
  };
  return { url, stop: () => stopChild("haft serve", child), recorded };
};
