import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import {
  currentProcessIdentity,
  isProcessAlive,
} from "../../../src/ledger/durable/leases/process-identity.ts";

it.runIf(process.platform === "linux")(
  "isProcessAlive is true for a stopped process and false for a killed one",
  async () => {
    const { readFileSync } = await import("node:fs");
    const child = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    const pid = child.pid!;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const born = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
    const its = { ...currentProcessIdentity(), pid, born };
    child.kill("SIGSTOP");
    expect(isProcessAlive(its, false)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isProcessAlive(its, false)).toBe(false);
  },
);
