import { readdirSync, readFileSync } from "node:fs";

/** A process and all its descendants, itself first. */
export const treeOf = (root: number): readonly number[] => {
  const pids = [root];
  for (const pid of pids) pids.push(...childrenOf(pid));
  return pids;
};

const childrenOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .map(Number);
  } catch {
    return [];
  }
};

/** Peak memory of a process tree. Pages shared by many processes are counted once. */
export const peakBytes = (pids: readonly number[]): number => {
  const [file, field] = pids.length > 6 ? ["smaps_rollup", "Pss"] : ["status", "VmHWM"];
  return pids.reduce((sum, pid) => sum + kilobytes(`/proc/${pid}/${file}`, field!) * 1024, 0);
};

const kilobytes = (file: string, field: string): number => {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(file, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/** Kills all processes, including leaders of their own groups. */
export const killAll = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
};
