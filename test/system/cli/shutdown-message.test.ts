import { fork } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

/** Starts the command line with an IPC channel, as a supervisor does. */
const supervised = async (words: readonly string[]) => {
  const cwd = await mkdtemp(join(tmpdir(), "haft-supervised-"));
  const child = fork(main, words, {
    cwd,
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", HAFT_LEDGER: "memory" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ended = new Promise<number | null>((done) => {
    child.once("exit", done);
  });
  return { child, ended };
};

it("a gateway ends with exit code 0 after a shutdown message", async () => {
  const { child, ended } = await supervised(["serve", "--http", "--port", "0"]);
  await new Promise<void>((serving) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("http://")) serving();
    });
  });
  child.send("shutdown");
  expect(await ended).toBe(0);
});

it("a command with an IPC channel ends when it is done", async () => {
  const { ended } = await supervised(["--version"]);
  expect(await ended).toBe(0);
});
