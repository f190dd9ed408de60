import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Only where processes can be looked at as files. */
export const canLook = existsSync("/proc/self/stat");

/** Command lines of processes that have the word in them: ours, and whatever they started. */
const linesWith = (word: string): readonly string[] =>
  (canLook ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
      } catch {
        // It ended while we looked.
        return "";
      }
    })
    .filter((line) => line.includes(word));

/** Processes that have all the words on their command line. */
export const pidsWith = (word: string, ...others: readonly string[]): readonly number[] =>
  linesWith(word)
    .filter((line) => others.every((other) => line.includes(other)))
    .map((line) => Number.parseInt(line, 10));

/** Whoever is still there when the time is over. They are ended then. */
export const survivors = async (word: string, withinMs: number): Promise<readonly string[]> => {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = linesWith(word);
    if (left.length === 0) return [];
    if (performance.now() > until) {
      for (const line of left) process.kill(Number.parseInt(line, 10), "SIGKILL");
      return left;
    }
    await pause(100);
  }
};

/** Leads or led by the process, and not merely waiting for somebody to take note of its end. */
const isAliveIn = (group: number, pid: string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && state !== "Z";
  } catch {
    return false;
  }
};

/** Whether anybody is left of the group that the process led, once what was killed has had time to be gone. */
export const isGroupAlive = async (group: number): Promise<boolean> => {
  const until = performance.now() + 500;
  for (;;) {
    try {
      process.kill(-group, 0);
    } catch {
      return false;
    }
    const alive = readdirSync("/proc").some((name) => /^\d+$/.test(name) && isAliveIn(group, name));
    if (!alive || performance.now() > until) return alive;
    await pause(20);
  }
};
