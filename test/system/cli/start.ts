import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs the command line in another process. */
export const start = (words: readonly string[], { env = {}, cwd }: Surroundings = {}) => {
  const { PATH, NODE_COMPILE_CACHE, HAFT_TRUST, HAFT_CONFIG_DIR, HAFT_OPERATOR_SECRET } = process.env;
  const operator = { HAFT_TRUST, HAFT_CONFIG_DIR, HAFT_OPERATOR_SECRET };
  const child = spawn(process.execPath, [main, ...words], {
    // Folders are trusted unless a test says `HAFT_TRUST: ""`.
    env: { PATH, NODE_COMPILE_CACHE, NODE_NO_WARNINGS: "1", ...operator, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const texts = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    texts.out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    texts.error += chunk;
  });
  child.stdin.end();
  const ended = new Promise<{ code: number | null; out: string; error: string }>((done) => {
    child.on("close", (code) => done({ code, ...texts }));
  });
  return { child, ended };
};
