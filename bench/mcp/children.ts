import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";

const running = new Set<ChildProcess>();

/** Starts a Node server and resolves when its port accepts connections. */
export const serveChild = async (
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> => {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", process.env.BENCH_VERBOSE === undefined ? "ignore" : "inherit"],
    env: { ...process.env, ...env },
    detached: true,
  });
  running.add(child);
  const until = Date.now() + 30_000;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}`);
    if (Date.now() > until) throw new Error(`${args.join(" ")} does not listen on ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return child;
};

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

export const stop = async (child: ChildProcess): Promise<void> => {
  running.delete(child);
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid!, "SIGTERM");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 3_000))]);
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
};

process.on("exit", () => {
  for (const { pid } of running) {
    try {
      process.kill(-pid!, "SIGKILL");
    } catch {}
  }
});
