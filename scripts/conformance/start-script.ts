import { type ChildProcess, spawn } from "node:child_process";
import { root } from "./suites.ts";

export interface ChildServer {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number>;
  /** Resolves with the first match in its output. Rejects when it ends before, or after the timeout. */
  readonly printed: (pattern: RegExp, withinMs: number) => Promise<string>;
  /** Sends SIGTERM, and kills it after a while. */
  readonly stop: () => Promise<number>;
}

export const startScript = (file: string, ...words: readonly string[]): ChildServer => {
  const child = spawn(process.execPath, [file, ...words], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const outputListeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const listener of outputListeners) listener();
    });
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(1));
  });
  const printed = (pattern: RegExp, withinMs: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        outputListeners.delete(checkOutput);
        settle();
      };
      const fail = (why: string) => finish(() => reject(new Error(`${file} ${why}\n${output.slice(-2000)}`)));
      const checkOutput = () => {
        const found = pattern.exec(output)?.[0];
        if (found !== undefined) finish(() => resolve(found));
      };
      const timer = setTimeout(() => fail(`did not print ${pattern} within ${withinMs} ms.`), withinMs);
      outputListeners.add(checkOutput);
      ended.then((code) => fail(`ended with ${code} before it printed ${pattern}.`));
      checkOutput();
    });
  const stop = async (): Promise<number> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.kill("SIGTERM");
    const code = await ended;
    clearTimeout(timer);
    return code;
  };
  return { process: child, output: () => output, ended, printed, stop };
};
