import type { ChildProcess } from "node:child_process";
import { untrackProcessGroup } from "../../../../base/platform/exit-cleanup.ts";
import {
  hostProcessSystem,
  killTree,
  type ProcessSystem,
  signalTree,
} from "../../../../base/platform/process-tree.ts";

/** How long an ending child has after its input closed, and after it was asked to stop. */
export interface EndGraceTimes {
  readonly inputMs: number;
  readonly termMs: number;
}

export const defaultEndGraces: EndGraceTimes = { inputMs: 700, termMs: 700 };

const waitForExit = (child: ChildProcess, ms: number): Promise<boolean> =>
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
const endRemaining = async (pid: number, ms: number, system: ProcessSystem): Promise<void> => {
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
export const endProcessGroup = async (
  child: ChildProcess,
  { inputMs, termMs }: EndGraceTimes,
  system: ProcessSystem = hostProcessSystem,
): Promise<void> => {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin?.end();
  if (!(await waitForExit(child, inputMs))) {
    if (system.os !== "win32") signalTree(pid, "SIGTERM", system);
    if (!(await waitForExit(child, termMs))) {
      killTree(pid, system);
      await waitForExit(child, termMs);
    }
  }
  await endRemaining(pid, termMs, system);
  untrackProcessGroup(pid);
};
