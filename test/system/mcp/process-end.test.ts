import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { survivors } from "../garbage/processes.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../kit/mcp/unclosed-program.ts", import.meta.url));
const waiting = fileURLToPath(new URL("../kit/mcp/waiting-program.ts", import.meta.url));
const said = JSON.stringify({ tools: [{ name: "echo", inputSchema: { type: "object" } }] });

it("a program whose server cannot be started ends despite the pending reconnect", async () => {
  const { stdout } = await run(process.execPath, [program, "no-such-server.ts"], { timeout: 150_000 });
  expect(JSON.parse(stdout)).toMatchObject({ status: "error", ok: false });
});

it("a program that waits for an unreachable server gets the error before it ends", async () => {
  const { stdout } = await run(process.execPath, [waiting], { timeout: 150_000 });
  expect(stdout.trim()).toBe("mcp_unreachable");
});

it.each([
  ["legacy", "legacy", ["listing-server.ts", said]],
  ["modern", "modern", ["toy-stdio.ts", "modern"]],
])(
  "a program with a %s server that does not close its runtime ends without leaving processes",
  async (_, era, args) => {
    const mark = `unclosed-${process.pid}-${era}`;
    const { stdout } = await run(process.execPath, [program, ...args, mark], { timeout: 150_000 });
    expect(JSON.parse(stdout)).toMatchObject({ era, status: "connected", ok: true });
    expect(await survivors(mark)).toEqual([]);
  },
);
