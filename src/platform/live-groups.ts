import { killTree } from "./process-tree.ts";

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

/** Called when nobody is left in the group: its number may soon be another's. */
export const forgetGroup = (pid: number): void => {
  if (alive.delete(pid) && alive.size === 0) unhook();
};
