import { spawn } from "node:child_process";
import { win32 } from "node:path";

/** A system on which processes are ended together with those that they started. */
export interface ProcessSystem {
  readonly os: NodeJS.Platform;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  /** Starts a program that nobody waits for; `onFailure` if it cannot be started. */
  readonly start: (file: string, args: readonly string[], onFailure: () => void) => void;
}

/** The system of this process. */
export const hostProcessSystem: ProcessSystem = {
  os: process.platform,
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  start: (file, args, onFailure) => {
    spawn(file, args, { windowsHide: true, stdio: "ignore" }).on("error", onFailure).unref();
  },
};

/**
 * Signals everybody in the group of a child that was started detached; false where nobody is left. Windows has no
 * groups: there it is the child alone.
 */
export const signalTree = (
  pid: number,
  signal: NodeJS.Signals | 0,
  { os, kill }: ProcessSystem = hostProcessSystem,
): boolean => {
  try {
    kill(os === "win32" ? pid : -pid, signal);
    return true;
  } catch {
    return false;
  }
};

/** Ends a child and all that it started. On Windows this must come while the child lives: its children are found by it. */
export const killTree = (pid: number, system: ProcessSystem = hostProcessSystem): void => {
  if (system.os !== "win32") {
    signalTree(pid, "SIGKILL", system);
    return;
  }
  const root = process.env.SystemRoot ?? process.env.SYSTEMROOT ?? "C:\\Windows";
  const taskkill = win32.join(root, "System32", "taskkill.exe");
  system.start(taskkill, ["/pid", String(pid), "/t", "/f"], () => {
    signalTree(pid, "SIGKILL", system);
  });
};
