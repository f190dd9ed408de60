import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";

/** Where and when this process began: enough to tell later whether it is still the same one. */
export interface Birth {
  readonly host: string;
  readonly pid: number;
  readonly thread: number;
  /** When the process started, as its system counts; empty where it does not say. */
  readonly born: string;
}

const orEmpty = (read: () => string): string => {
  try {
    return read();
  } catch {
    return "";
  }
};

/** Process numbers mean something only within one boot of one machine, and in a container only there. */
const host = [
  hostname(),
  orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  orEmpty(() => readlinkSync("/proc/self/ns/pid")),
].join(" ");

/** The 22nd field; the second may itself hold spaces and parentheses. */
const startOf = (pid: number): string =>
  orEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });

export const birth = (): Birth => ({ host, pid: process.pid, thread: threadId, born: startOf(process.pid) });

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Whether its process is there; `undefined` if that cannot be seen from here. */
export const isThere = ({ host: its, pid, thread, born }: Birth, isOurs: boolean): boolean | undefined => {
  if (isOurs) return true;
  if (its !== host) return undefined;
  if (!isRunning(pid)) return false;
  const start = startOf(pid);
  if (start !== born) return false;
  if (pid !== process.pid) return true;
  // Another thread of this process keeps its own list of what is open.
  return thread === threadId ? false : undefined;
};
