import { expect, it } from "vitest";
import { BoundedBytes, type ChildEnd, startChild } from "../../../../src/sandbox/child/start-child.ts";
import { isAlive } from "../../../kit/is-alive.ts";
import { waitFor } from "../../../kit/wait-for.ts";

const node = (script: string, input?: string) => {
  const out = new BoundedBytes(1_000);
  let pid: number | undefined;
  const ended = new Promise<ChildEnd>((resolve) => {
    const start = { file: process.execPath, args: ["-e", script], cwd: "/", env: {} };
    const child = startChild(start, {
      onOutput: (chunk) => out.push(chunk),
      onError: () => {},
      onEnd: resolve,
    });
    pid = child.pid;
    if (input !== undefined) child.write(input);
    child.endInput();
  });
  return { ended, out, pid: () => pid as number };
};

it("a child inherits no environment variables, and its output is read before its end", async () => {
  const { ended, out } = node(
    "process.stdin.on('data', (d) => console.log(String(d), process.env.PATH))",
    "in",
  );
  expect(await ended).toMatchObject({ code: 0, signal: null });
  expect(out.bytes().toString()).toBe("in undefined\n");
});

it.skipIf(process.platform === "win32")(
  "a child that closes its pipes and keeps running is killed",
  async () => {
    const { ended, pid } = node(
      "require('fs').closeSync(1); require('fs').closeSync(2); setInterval(() => {}, 1000)",
    );
    expect(await ended).toMatchObject({ signal: "SIGKILL" });
    expect(isAlive(pid())).toBe(false);
  },
);

it.skipIf(process.platform === "win32")("a child that ignores SIGTERM is killed", async () => {
  const ended = await new Promise<ChildEnd>((resolve) => {
    const script =
      "process.on('SIGTERM', () => console.log('no')); setInterval(() => {}, 1000); console.log('up')";
    const child = startChild(
      { file: process.execPath, args: ["-e", script], cwd: "/", env: {} },
      { onOutput: (chunk) => chunk.includes("up") && child.stop(), onError: () => {}, onEnd: resolve },
    );
  });
  expect(ended).toMatchObject({ signal: "SIGKILL" });
});

it.skipIf(process.platform === "win32")("a grandchild that holds the pipes ends with its child", async () => {
  const { ended, out } = node(
    "const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); console.log(c.pid); c.unref(); process.exit(0)",
  );
  await ended;
  const grandchild = Number(out.bytes().toString());
  await waitFor(() => expect(isAlive(grandchild)).toBe(false));
});

it("a missing program and too long arguments are reported as a problem", async () => {
  const problemOf = (file: string, args: readonly string[]) =>
    new Promise<ChildEnd>((resolve) => {
      startChild(
        { file, args, cwd: "/", env: {} },
        { onOutput: () => {}, onError: () => {}, onEnd: resolve },
      ).endInput();
    });
  expect((await problemOf("/nowhere/program", [])).problem).toBe("ENOENT");
  expect((await problemOf(process.execPath, ["x".repeat(10_000_000)])).problem).toBe("E2BIG");
});
