import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../kit/is-alive.ts";
import { waitFor } from "../../kit/wait-for.ts";

const file = new URL("../../../src/base/platform/exit-cleanup.ts", import.meta.url).href;

/** Starts a process that tracks a folder and a child process, and ends it in the given way. */
const ending = async (how: string) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-live-test-"));
  const script = `
    import { spawn } from "node:child_process";
    const { trackTemporaryFolder, trackProcessGroup } = await import(${JSON.stringify(file)});
    trackTemporaryFolder(${JSON.stringify(folder)});
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
    trackProcessGroup(child.pid);
    console.log(child.pid);
    ${how}`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const grandchild = await new Promise<number>((resolve) =>
    host.stdout.once("data", (line) => resolve(Number(line))),
  );
  const signal = await new Promise((resolve) => host.once("exit", (_, by) => resolve(by)));
  return { folder, grandchild, signal };
};

it.skipIf(process.platform === "win32").each([
  ["exits", "process.exit(0)", null],
  ["receives SIGTERM", "setInterval(() => {}, 1000); process.kill(process.pid, 'SIGTERM')", "SIGTERM"],
])("a process removes its tracked folders and child processes when it %s", async (_, how, by) => {
  const { folder, grandchild, signal } = await ending(how);
  expect([existsSync(folder), signal]).toEqual([false, by]);
  await waitFor(() => expect(isAlive(grandchild)).toBe(false));
});
