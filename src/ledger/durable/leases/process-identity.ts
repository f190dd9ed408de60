import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";

export interface ProcessIdentity {
  /** Machine name, boot id and PID namespace. */
  readonly host: string;
  readonly pid: number;
  readonly thread: number;
  /** Empty where unknown. */
  readonly born: string;
}

const orEmpty = (read: () => string): string => {
  try {
    return read();
  } catch {
    return "";
  }
};

const hostIdentity = [
  hostname(),
  orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  orEmpty(() => readlinkSync("/proc/self/ns/pid")),
].join(" ");

/** From the third field on; the second may contain spaces. */
const procStatOf = (pid: number): readonly string[] => {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** Unixes without /proc. */
const startTimeByPs = (pid: number): string =>
  orEmpty(() => {
    const env = { LC_ALL: "C", TZ: "UTC" };
    return execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env,
      timeout: 5_000,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  });

const hasPs = process.platform !== "linux" && process.platform !== "win32";

const startTimeOf = (pid: number): string => (hasPs ? startTimeByPs(pid) : (procStatOf(pid)[19] ?? ""));

let ownStartTime: string | undefined;
const ownStartTimeOf = (): string => {
  ownStartTime ??= startTimeOf(process.pid);
  return ownStartTime;
};

export const currentProcessIdentity = (): ProcessIdentity => ({
  host: hostIdentity,
  pid: process.pid,
  thread: threadId,
  born: ownStartTimeOf(),
});

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** PIDs are comparable only within one boot and one PID namespace. */
const isVisibleFrom = (mine: string, its: string): boolean => {
  const [, boot, namespace] = mine.split(" ");
  const [, itsBoot, itsNamespace] = its.split(" ");
  return boot !== "" && namespace !== "" && boot === itsBoot && namespace === itsNamespace;
};

/**
 * Without /proc, an unused PID proves death, and a used one needs the same start time. Where that is unknown,
 * the heartbeat decides.
 */
const isAliveByStartTime = (pid: number, born: string): boolean | undefined => {
  if (!isRunning(pid)) return false;
  if (pid === process.pid || born === "") return undefined;
  const start = startTimeOf(pid);
  return start === "" ? undefined : start === born;
};

/** `undefined` if the heartbeat must decide. */
export const isProcessAlive = (
  { host: its, pid, thread, born }: ProcessIdentity,
  isLocalOwner: boolean,
): boolean | undefined => {
  if (isLocalOwner) return true;
  if (!isVisibleFrom(hostIdentity, its)) {
    return process.platform === "linux" || its !== hostIdentity ? undefined : isAliveByStartTime(pid, born);
  }
  if (!isRunning(pid)) return false;
  const stat = procStatOf(pid);
  // A zombie process keeps its PID.
  if (stat[0] === "Z" || stat[0] === "X") return false;
  if ((stat[19] ?? "") !== born) return false;
  if (pid !== process.pid) return true;
  // Each thread keeps its own list of open stores.
  return thread === threadId ? false : undefined;
};
