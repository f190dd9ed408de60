import { rmSync } from "node:fs";
import { killTree } from "./process-tree.ts";

/** SIGBREAK and SIGHUP are Ctrl-Break and a closed console on Windows. */
const fatalSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;
const liveGroups = new Set<number>();
const temporaryFolders = new Set<string>();

const killAndRemoveAll = (): void => {
  for (const pid of liveGroups) killTree(pid);
  liveGroups.clear();
  for (const folder of temporaryFolders) removeFolder(folder);
  temporaryFolders.clear();
};

export const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {}
};

/**
 * A child in its own process group does not receive Ctrl-C. Other listeners of the signal take precedence.
 */
const onFatalSignal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  killAndRemoveAll();
  removeExitHandlers();
  process.kill(process.pid, signal);
};

const addExitHandlers = (): void => {
  process.once("exit", killAndRemoveAll);
  for (const signal of fatalSignals) process.on(signal, onFatalSignal);
};

const removeExitHandlers = (): void => {
  process.off("exit", killAndRemoveAll);
  for (const signal of fatalSignals) process.off(signal, onFatalSignal);
};

/** Handlers exist only while there is something to clean up. */
const track = <Item>(kept: Set<Item>, item: Item): void => {
  if (liveGroups.size + temporaryFolders.size === 0) addExitHandlers();
  kept.add(item);
};

const untrack = <Item>(kept: Set<Item>, item: Item): void => {
  if (kept.delete(item) && liveGroups.size + temporaryFolders.size === 0) removeExitHandlers();
};

export const trackProcessGroup = (pid: number): void => track(liveGroups, pid);

/** The id of an empty group may be reused. */
export const untrackProcessGroup = (pid: number): void => untrack(liveGroups, pid);

export const trackTemporaryFolder = (folder: string): void => track(temporaryFolders, folder);

export const untrackTemporaryFolder = (folder: string): void => untrack(temporaryFolders, folder);
