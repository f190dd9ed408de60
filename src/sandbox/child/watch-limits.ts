import { type ProcessUsage, processUsage } from "./process-usage.ts";
import { exceedsSize } from "./scratch-folder.ts";

/** Usage before the watch does not count. */
export interface WatchedLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly folder?: { readonly path: string; readonly mostBytes: number } | undefined;
}

export type WatchedLimit = "time" | "cpu" | "memory" | "processes" | "files";

export interface LimitWatch {
  readonly usage: () => { readonly wallMs: number; readonly cpuMs: number };
  readonly end: () => void;
}

const pollMs = 50;
/** A fast disk writes a hundred megabytes within one usage interval. */
const folderPollMs = 5;

/** Reports the first exceeded limit. Between two polls only the wider system limits apply. */
export const watchLimits = (
  pid: number,
  limits: WatchedLimits,
  onReached: (limit: WatchedLimit) => void,
): LimitWatch => {
  const startedAt = performance.now();
  const before = processUsage(pid, limits.processes) ?? noUsage;
  let last = before;
  const end = (): void => {
    clearTimeout(timer);
    clearInterval(poll);
    clearInterval(folderPoll);
  };
  const reach = (limit: WatchedLimit): void => {
    end();
    onReached(limit);
  };
  const checkUsage = (): void => {
    last = processUsage(pid, limits.processes) ?? last;
    if (last.cpuMs - before.cpuMs > limits.cpuMs) reach("cpu");
    else if (last.memoryBytes - before.memoryBytes > limits.memoryBytes) reach("memory");
    else if (last.processes > limits.processes) reach("processes");
  };
  const { folder } = limits;
  const lookAtFolder = (): void => {
    if (folder !== undefined && exceedsSize(folder.path, folder.mostBytes)) reach("files");
  };
  const timer = setTimeout(() => reach("time"), limits.wallMs);
  const poll = setInterval(checkUsage, pollMs);
  const folderPoll = folder === undefined ? undefined : setInterval(lookAtFolder, folderPollMs);
  return {
    usage: () => {
      last = processUsage(pid, limits.processes) ?? last;
      return { wallMs: performance.now() - startedAt, cpuMs: Math.max(0, last.cpuMs - before.cpuMs) };
    },
    end,
  };
};

const noUsage: ProcessUsage = { cpuMs: 0, memoryBytes: 0, processes: 0 };
