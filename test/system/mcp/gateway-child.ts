import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A server of the npm registry as a configuration starts it. */
export const npmServer = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(root, "test/system/node_modules/@modelcontextprotocol", name, "dist/index.js"), ...args],
});

/** Runs from source, so tests need no build. */
export const cli = join(root, "src/cli/main.ts");

export interface GatewayChild extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly child: ChildProcess;
  readonly errors: () => string;
}

/** `haft serve --http` in another process with its own folder. */
export const gatewayChild = async (
  config: object,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayChild> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-gateway-"));
  writeFileSync(join(folder, "haft.config.json"), JSON.stringify(config));
  const words = [cli, "serve", "--http", "--port", "0", "--json", ...options];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", HAFT_LEDGER: "", ...env },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const line = said.split("\n").find((each) => each.includes('"serving"'));
      if (line !== undefined && said.includes("\n")) resolve(JSON.parse(line).url);
    });
    child.once("exit", (code) => reject(new Error(`haft serve ended with ${code}: ${errors}`)));
  });
  return {
    url,
    folder,
    child,
    errors: () => errors,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
