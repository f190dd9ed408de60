const now = (): number => performance.now();

/** Elapsed time if Node does not report CPU time. */
const threadMs = (): number => {
  const used = process.threadCpuUsage?.();
  return used === undefined ? now() : (used.user + used.system) / 1000;
};

/** Excludes the time in which the guest waits. */
export interface CpuTime {
  readonly begin: () => void;
  readonly end: () => void;
  readonly usedMs: () => number;
  readonly isOver: () => boolean;
}

export const cpuTime = (mostMs: number): CpuTime => {
  let counted = 0;
  let began = 0;
  let beganThread = 0;
  let isRunning = false;
  const usedMs = (): number => counted + (isRunning ? threadMs() - beganThread : 0);
  return {
    begin: () => {
      isRunning = true;
      began = now();
      beganThread = threadMs();
    },
    end: () => {
      counted = usedMs();
      isRunning = false;
    },
    usedMs,
    // Elapsed time is an upper bound and cheaper to read.
    isOver: () => isRunning && counted + now() - began > mostMs && usedMs() > mostMs,
  };
};
