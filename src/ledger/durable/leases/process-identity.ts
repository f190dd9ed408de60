import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";

/** Where and when this process began: enough to tell later whether it is still the same one. */
export interface ProcessIdentity {
  /** Name of the machine, its boot and the namespace of its process numbers; the last two are empty where unknown. */
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

const hostIdentity = [
  hostname(),
  orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  orEmpty(() => readlinkSync("/proc/self/ns/pid")),
].join(" ");

/** Fields from the third on; the second may itself hold spaces and parentheses. */
const procStatOf = (pid: number): readonly string[] => {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** Systems without /proc that are Unixes all the same have `ps`, which tells a start to the second. */
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

/** Asked once: it may take another program to tell. */
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

/** Process numbers mean something only within one boot of one machine, and in one namespace of them. */
const isVisibleFrom = (mine: string, its: string): boolean => {
  const [, boot, namespace] = mine.split(" ");
  const [, itsBoot, itsNamespace] = its.split(" ");
  return boot !== "" && namespace !== "" && boot === itsBoot && namespace === itsNamespace;
};

/**
 * Without /proc a number that nobody has is proof enough. One that somebody has is the same process only if it started
 * at the same time; where starts are not told, as on Windows, it proves nothing and the heartbeat decides.
 */
const isAliveByStartTime = (pid: number, born: string): boolean | undefined => {
  if (!isRunning(pid)) return false;
  if (pid === process.pid || born === "") return undefined;
  const start = startTimeOf(pid);
  return start === "" ? undefined : start === born;
};

/**
 * Whether its process is there, stopped or busy as it may be; `undefined` if that cannot be told from here, and only
 * its heartbeat can.
 */
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
  // A process that was killed and that nobody has waited for still has its number.
  if (stat[0] === "Z" || stat[0] === "X") return false;
  if ((stat[19] ?? "") !== born) return false;
  if (pid !== process.pid) return true;
  // Another thread of this process keeps its own list of what is open.
  return thread === threadId ? false : undefined;
};
