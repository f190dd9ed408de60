import { rmSync } from "node:fs";
import { killTree } from "./process-tree.ts";

/** SIGBREAK is Ctrl-Break of Windows, and SIGHUP the end of its console; elsewhere the former never comes. */
const fatal = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;
const alive = new Set<number>();
const folders = new Set<string>();

const endAll = (): void => {
  for (const pid of alive) killTree(pid);
  alive.clear();
  for (const folder of folders) removeFolder(folder);
  folders.clear();
};

/** Nobody fails for what cannot be removed, such as what a program closed to others. */
export const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {}
};

/** A child in a group of its own does not hear Ctrl-C, so who hears it ends the children first, then itself. */
const onFatal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  unhook();
  process.kill(process.pid, signal);
};

const hook = (): void => {
  process.once("exit", endAll);
  for (const signal of fatal) process.on(signal, onFatal);
};

const unhook = (): void => {
  process.off("exit", endAll);
  for (const signal of fatal) process.off(signal, onFatal);
};

/** Heard only while there is something to end, so that nobody else's signals are touched. */
const keep = <Item>(kept: Set<Item>, item: Item): void => {
  if (alive.size + folders.size === 0) hook();
  kept.add(item);
};

const drop = <Item>(kept: Set<Item>, item: Item): void => {
  if (kept.delete(item) && alive.size + folders.size === 0) unhook();
};

/** From now on the group does not outlive this process. */
export const watchGroup = (pid: number): void => keep(alive, pid);

/** Called when nobody is left in the group: its number may soon be another's. */
export const forgetGroup = (pid: number): void => drop(alive, pid);

/** From now on the folder does not outlive this process, unless that one is killed. */
export const watchFolder = (folder: string): void => keep(folders, folder);

export const forgetFolder = (folder: string): void => drop(folders, folder);
