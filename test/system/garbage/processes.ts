import { existsSync, readdirSync, readFileSync } from "node:fs";
import { waitFor } from "../../kit/wait-for.ts";

/** Needs /proc. */
export const canLook = existsSync("/proc/self/stat");

/** Command lines of all processes that contain the word. */
const linesWith = (word: string): readonly string[] =>
  (canLook ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
      } catch {
        // It ended during the scan.
        return "";
      }
    })
    .filter((line) => line.includes(word));

/** Processes with all the words in their command line. */
export const pidsWith = (word: string, ...others: readonly string[]): readonly number[] =>
  linesWith(word)
    .filter((line) => others.every((other) => line.includes(other)))
    .map((line) => Number.parseInt(line, 10));

/** Processes that do not end by themselves. They are killed. */
export const survivors = async (word: string): Promise<readonly string[]> => {
  let left: readonly string[] = [];
  try {
    await waitFor(() => {
      left = linesWith(word);
      if (left.length > 0) throw new Error(`still running:\n${left.join("\n")}`);
    });
  } catch {
    for (const line of left) process.kill(Number.parseInt(line, 10), "SIGKILL");
  }
  return left;
};

/** Whether the process is in the group and not a zombie. */
const isAliveIn = (group: number, pid: string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && state !== "Z";
  } catch {
    return false;
  }
};

/** Waits until no process of the group is left. */
export const groupEnd = (group: number): Promise<void> =>
  waitFor(() => {
    try {
      process.kill(-group, 0);
    } catch {
      return;
    }
    const isAlive = readdirSync("/proc").some((name) => /^\d+$/.test(name) && isAliveIn(group, name));
    if (isAlive) throw new Error(`process group ${group} is still there`);
  });
