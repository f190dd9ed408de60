import { readdirSync, readFileSync } from "node:fs";

/** With all descendants. */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** Linux reports CPU time in units of 10 ms on every kernel. */
const tickMs = 10;

/** Undefined if unavailable. Counts at most `max` processes. */
export const processUsage = (root: number, max: number): ProcessUsage | undefined => {
  let [cpuMs, memoryBytes, processes] = [0, 0, 0];
  const pids = [root];
  for (let pid = pids.pop(); pid !== undefined && processes <= max; pid = pids.pop()) {
    try {
      const own = { cpuMs: cpuOf(pid), memoryBytes: memoryOf(pid), children: childrenOf(pid) };
      cpuMs += own.cpuMs;
      memoryBytes += own.memoryBytes;
      processes += 1;
      pids.push(...own.children);
    } catch {}
  }
  return processes === 0 ? undefined : { cpuMs, memoryBytes, processes };
};

/** Includes children that it has waited for. */
const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program name in parentheses may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
};

const memoryOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
};

export const childrenOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
      .filter((child) => child !== "")
      .map(Number);
  } catch {
    return [];
  }
};
