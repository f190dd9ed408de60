import { spawn } from "node:child_process";
import { win32 } from "node:path";

export interface ProcessSystem {
  readonly os: NodeJS.Platform;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  readonly start: (file: string, args: readonly string[], onFailure: () => void) => void;
}

export const hostProcessSystem: ProcessSystem = {
  os: process.platform,
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  start: (file, args, onFailure) => {
    spawn(file, args, { windowsHide: true, stdio: "ignore" }).on("error", onFailure).unref();
  },
};

/** Returns false if the process group is empty. On Windows it signals only the child. */
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

/** On Windows the child must still be alive, because its descendants are found through it. */
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
