import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { childrenOf, processUsage } from "../../../../src/sandbox/child/start-child.ts";
import { waitFor } from "../../../kit/wait-for.ts";

const burning = "while (process.cpuUsage().user < 150_000); console.log('done'); setInterval(() => {}, 1000)";
const parent = `
const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", ${JSON.stringify(burning)}], { stdio: ["ignore", "inherit", "ignore"] });
process.stdin.on("end", () => { child.kill("SIGKILL"); process.exit() }).resume();`;

it.skipIf(process.platform !== "linux")(
  "processUsage sums the usage of a process and up to a number of its children",
  async () => {
    const child = spawn(process.execPath, ["-e", parent], { stdio: ["pipe", "pipe", "ignore"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const pid = child.pid as number;
    const [grandchild] = childrenOf(pid);
    const usage = processUsage(pid, 10);
    expect(usage).toMatchObject({ processes: 2 });
    expect(usage?.cpuMs).toBeGreaterThan(50);
    expect(usage?.memoryBytes).toBeGreaterThan(10_000_000);
    expect(processUsage(pid, 0)).toMatchObject({ processes: 1 });
    child.stdin.end();
    await new Promise((resolve) => child.once("exit", resolve));
    expect(processUsage(pid, 10)).toBeUndefined();
    await waitFor(() => expect(processUsage(grandchild as number, 0)?.memoryBytes ?? 0).toBe(0));
  },
);
