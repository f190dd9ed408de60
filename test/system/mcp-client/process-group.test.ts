import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import type { ProcessSystem } from "../../../src/base/platform/process-tree.ts";
import { endProcessGroup } from "../../../src/mcp/client/transport/stdio/end-process-group.ts";

it("on Windows endProcessGroup ends a child with its process tree while it still runs", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const done: string[] = [];
  const system: ProcessSystem = {
    os: "win32",
    kill: (_, signal) => {
      done.push(`kill ${signal}`);
    },
    start: (_, args) => {
      done.push(`${args.join(" ")}, alive: ${child.exitCode === null && child.signalCode === null}`);
      child.kill("SIGKILL");
    },
  };
  await endProcessGroup(child, { inputMs: 1, termMs: 1 }, system);
  expect(done).toEqual([`/pid ${child.pid} /t /f, alive: true`]);
});
