import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";

/**
 * Counts the files of `src` that `haft.call`, a run of three calls, a gateway call and an approval after a crash
 * of the requesting process enter between the public method and the reply, and returns to files that were left
 * before. `npm run walks [-- ROOT]`, where ROOT is another checkout to compare.
 */
const flags = readFlags({
  "--json": "print the walks as JSON",
  "--files": "list the files of each in order",
});
const root = resolve(process.argv.slice(2).find((word) => !word.startsWith("-")) ?? ".");
const folder = mkdtempSync(join(tmpdir(), "haft-walks-"));
const here = (file: string) => fileURLToPath(new URL(`walks/${file}`, import.meta.url));

interface Walk {
  readonly name: string;
  readonly files: readonly string[];
  /** Entries into a file that was left before; the callee of a callback counts too. */
  readonly returns: number;
}

const trace = (name: string, words: readonly string[]) => {
  const file = join(folder, `${name}.json`);
  const env = {
    ...process.env,
    WALK_ROOT: root,
    WALK_FILE: file,
    WALK_PENDING: join(folder, "pending.json"),
    WALK_LEDGER: `sqlite:${join(folder, "ledger.db")}`,
    NODE_NO_WARNINGS: "1",
  };
  const child = spawn(process.execPath, ["--import", here("trace.ts"), ...words], {
    env,
    cwd: folder,
    stdio: ["pipe", "pipe", flags.has("--files") ? "inherit" : "ignore"],
  });
  return { child, file };
};

const read = (name: string, file: string): Walk => {
  const entered: readonly string[] = JSON.parse(readFileSync(file, "utf8"));
  const files = [...new Set(entered)];
  return { name, files, returns: entered.length - files.length };
};

const inProcess = async (name: string): Promise<Walk> => {
  const { child, file } = trace(name, [here("scene.ts"), root, name]);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the walk "${name}" ended with ${code}`);
  return read(name, file);
};

/** One process requests approval and is killed; another resumes the calls. */
const approval = async (): Promise<Walk> => {
  const [, signal] = await once(trace("crash", [here("scene.ts"), root, "crash"]).child, "exit");
  if (signal !== "SIGKILL") throw new Error("the process that requests approval did not reach its end");
  return inProcess("approval");
};

/** A client that has called once to load everything calls again. */
const gateway = async (): Promise<Walk> => {
  const tools = join(folder, "tools.ts");
  writeFileSync(
    tools,
    `import { tool } from ${JSON.stringify(join(root, "src/exports/index.ts"))};
     export const weather = tool({ name: "get_weather", description: "Weather", annotations: { readOnly: true },
       input: { type: "object", properties: { city: { type: "string" } } }, run: async () => ({ celsius: 4 }) });`,
  );
  const words = [
    join(root, "src/cli/main.ts"),
    "serve",
    "--tools",
    tools,
    "--allow",
    "*",
    "--ledger",
    "memory",
  ];
  const { child, file } = trace("gateway", words);
  let received = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  const ask = async (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    while (!received.includes(`"id":${id}`)) await wait(20);
    await wait(200);
  };
  const call = { name: "get_weather", arguments: { city: "Oslo" } };
  await ask(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "walk", version: "1" },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask(2, "tools/call", call);
  child.kill("SIGUSR2");
  await wait(200);
  await ask(3, "tools/call", call);
  child.kill("SIGUSR2");
  await wait(300);
  child.kill("SIGKILL");
  return read("gateway", file);
};

try {
  const walks = [await inProcess("call"), await inProcess("run"), await gateway(), await approval()];
  if (flags.has("--json")) console.log(JSON.stringify(walks));
  else {
    for (const { name, files, returns } of walks) {
      console.log(
        `${name.padEnd(10)} ${String(files.length).padStart(4)} files ${String(returns).padStart(4)} returns`,
      );
      if (flags.has("--files")) for (const file of files) console.log(`  ${file}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
