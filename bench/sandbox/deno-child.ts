import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { SandboxContender } from "./contender.ts";

const deno = fileURLToPath(new URL("../node_modules/.bin/deno", import.meta.url));

const shim = fileURLToPath(new URL("deno-shim.mjs", import.meta.url));

/** A process without permissions per program. */
export const denoChild: SandboxContender = {
  name: "Deno child without permissions",
  open: async () => ({
    run: (source, input, answer) =>
      new Promise((resolve, reject) => {
        const words = ["run", "--no-prompt", "--no-config", "--no-remote", shim];
        const child = spawn(deno, words, {
          stdio: ["pipe", "pipe", "ignore"],
          env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
        });
        child.on("error", reject);
        child.on("close", () => reject(new Error("deno ended before it answered")));
        child.stdin.on("error", () => {});
        const say = (value: unknown): void => void child.stdin.write(`${JSON.stringify(value)}\n`);
        createInterface({ input: child.stdout }).on("line", (line) => {
          const reported = JSON.parse(line);
          if ("value" in reported) resolve(reported.value);
          else void answer(JSON.stringify(reported.call)).then((text) => say(JSON.parse(text)));
        });
        say({ source, input });
      }),
    close: async () => {},
  }),
};
