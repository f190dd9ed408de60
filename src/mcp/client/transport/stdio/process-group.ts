import type { ChildProcess } from "node:child_process";
import { type EndingSystem, killTree, signalTree, thisSystem } from "../../../../platform/process-tree.ts";

/** How long an ending child has after its input closed, and after it was asked to stop. */
export interface EndingTimes {
  readonly inputMs: number;
  readonly termMs: number;
}

export const defaultGraces: EndingTimes = { inputMs: 700, termMs: 700 };

/** SIGBREAK is Ctrl-Break of Windows, and SIGHUP the end of its console; elsewhere the former never comes. */
const fatal = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;
const alive = new Set<number>();

const killAll = (): void => {
  for (const pid of alive) killTree(pid);
  alive.clear();
};

/** A child in a group of its own does not hear Ctrl-C, so who hears it ends the children first, then itself. */
const onFatal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unhook();
  process.kill(process.pid, signal);
};

const hook = (): void => {
  process.once("exit", killAll);
  for (const signal of fatal) process.on(signal, onFatal);
};

const unhook = (): void => {
  process.off("exit", killAll);
  for (const signal of fatal) process.off(signal, onFatal);
};

/** From now on the group does not outlive this process. */
export const watchGroup = (pid: number): void => {
  if (alive.size === 0) hook();
  alive.add(pid);
};

const forgetGroup = (pid: number): void => {
  if (alive.delete(pid) && alive.size === 0) unhook();
};

const exited = (child: ChildProcess, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(true);
    const onExit = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      child.off("exit", onExit);
      resolve(false);
    }, ms);
    child.once("exit", onExit);
  });

const pollMs = 20;

/** Whoever the child left behind in its group. */
const sweep = async (pid: number, ms: number, system: EndingSystem): Promise<void> => {
  if (system.os === "win32" || !signalTree(pid, "SIGTERM", system)) return;
  const until = Date.now() + ms;
  while (signalTree(pid, 0, system)) {
    if (Date.now() >= until) return killTree(pid, system);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};

/**
 * Asks by closing its input, then by signal, then does not ask. Nothing of the group is left. Never rejects. On Windows
 * a signal would end the child alone and leave nobody by whom to find its children, so there is no second question.
 */
export const endGroup = async (
  child: ChildProcess,
  { inputMs, termMs }: EndingTimes,
  system: EndingSystem = thisSystem,
): Promise<void> => {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  if (!(await exited(child, inputMs))) {
    if (system.os !== "win32") signalTree(pid, "SIGTERM", system);
    if (!(await exited(child, termMs))) {
      killTree(pid, system);
      await exited(child, termMs);
    }
  }
  await sweep(pid, termMs, system);
  forgetGroup(pid);
};
