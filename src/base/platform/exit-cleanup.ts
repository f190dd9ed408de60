import { rmSync } from "node:fs";
import { killTree } from "./process-tree.ts";

/** SIGBREAK is Ctrl-Break of Windows, and SIGHUP the end of its console; elsewhere the former never comes. */
const fatalSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;
const liveGroups = new Set<number>();
const temporaryFolders = new Set<string>();

const killAndRemoveAll = (): void => {
  for (const pid of liveGroups) killTree(pid);
  liveGroups.clear();
  for (const folder of temporaryFolders) removeFolder(folder);
  temporaryFolders.clear();
};

/** Nobody fails for what cannot be removed, such as what a program closed to others. */
export const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {}
};

/** A child in a group of its own does not hear Ctrl-C, so who hears it ends the children first, then itself. */
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

/** Heard only while there is something to end, so that nobody else's signals are touched. */
const track = <Item>(kept: Set<Item>, item: Item): void => {
  if (liveGroups.size + temporaryFolders.size === 0) addExitHandlers();
  kept.add(item);
};

const untrack = <Item>(kept: Set<Item>, item: Item): void => {
  if (kept.delete(item) && liveGroups.size + temporaryFolders.size === 0) removeExitHandlers();
};

/** From now on the group does not outlive this process. */
export const trackProcessGroup = (pid: number): void => track(liveGroups, pid);

/** Called when nobody is left in the group: its number may soon be another's. */
export const untrackProcessGroup = (pid: number): void => untrack(liveGroups, pid);

/** From now on the folder does not outlive this process, unless that one is killed. */
export const trackTemporaryFolder = (folder: string): void => track(temporaryFolders, folder);

export const untrackTemporaryFolder = (folder: string): void => untrack(temporaryFolders, folder);
