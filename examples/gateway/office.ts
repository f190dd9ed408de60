// An empty folder with the files of this example and the packages that `npm install` would add.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createOperatorEnvironment } from "../../test/kit/operator-environment.ts";

export const root = new URL("../..", import.meta.url);
const packages = fileURLToPath(new URL("node_modules", root));
const servers = fileURLToPath(new URL("test/system/node_modules/@modelcontextprotocol", root));

export const folder = mkdtempSync(join(tmpdir(), "haft-office-"));
const here = fileURLToPath(new URL(".", import.meta.url));
for (const file of ["haft.config.ts", "publish.ts", "jwt.config.ts"])
  cpSync(join(here, file), join(folder, file));

const scope = "node_modules/@modelcontextprotocol";
mkdirSync(join(folder, scope), { recursive: true });
symlinkSync(fileURLToPath(root), join(folder, "node_modules/haft"));
for (const name of ["server-filesystem", "server-sequential-thinking", "sdk"]) {
  symlinkSync(join(servers, name), join(folder, scope, name));
}
// A copy, because a later step changes this package.
cpSync(join(servers, "server-memory"), join(folder, scope, "server-memory"), {
  recursive: true,
  dereference: true,
});
symlinkSync(join(packages, "zod"), join(folder, "node_modules/zod"));

mkdirSync(join(folder, "notes"));
writeFileSync(join(folder, "notes/hall.txt"), "The hall is closed on Monday.\n");
mkdirSync(join(folder, ".cursor"));
const thinking = { command: "node", args: [`${scope}/server-sequential-thinking/dist/index.js`] };
writeFileSync(join(folder, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { thinking } }));

export const tokens = { ada: "ada-0123456789abcdef0123456789", grace: "grace-0123456789abcdef01234567" };
const main = fileURLToPath(new URL("dist/cli/main.js", root));
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: folder,
  NO_COLOR: "1",
  HAFT_LEDGER: "",
  NODE_COMPILE_CACHE: join(folder, ".cache"), // the same program starts many times
  ADA_TOKEN: tokens.ada,
  GRACE_TOKEN: tokens.grace,
  ...(await createOperatorEnvironment()), // the commands are those of an operator without a terminal
};

/** How a client starts the gateway. */
export const serving = (...words: readonly string[]) => ({
  command: process.execPath,
  args: [main, "serve", ...words],
  cwd: folder,
  env: env as Record<string, string>,
  stderr: "pipe" as const,
});

export const haft = (
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...words], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        out += text;
      });
    }
    child.on("close", (code) => resolve({ code, out }));
  });

export interface Gateway {
  readonly url: string;
  readonly said: () => string;
  /** Stops it, and resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Starts `haft serve --http` on a free port, and resolves when it is listening. */
export const startGateway = async (
  words: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Gateway> => {
  const { command, args, cwd } = serving("--http", "--port", String(await freePort()), ...words);
  const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  void ended.then(() => running.delete(child));
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then((code) => reject(new Error(`the gateway ended with ${code}: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const at = /serves .* at (http\S+)/.exec(said)?.[1];
      if (at !== undefined) resolve(at);
    });
  });
  return {
    url,
    said: () => said,
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Changes a file of the office. */
export const edit = (file: string, from: string, to: string): void => {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
  writeFileSync(path, text.replaceAll(from, to));
};

export const leave = async (): Promise<void> => {
  await Promise.all(
    [...running].map((child) => {
      child.kill("SIGTERM");
      return new Promise((resolve) => child.once("close", resolve));
    }),
  );
  rmSync(folder, { recursive: true, force: true });
};
