const now = (): number => performance.now();

/** Of this thread alone, in milliseconds; where Node does not tell it, the time that passes. */
const threadMs = (): number => {
  const used = process.threadCpuUsage?.();
  return used === undefined ? now() : (used.user + used.system) / 1000;
};

/** Counts the time in which the guest runs, and not that in which it waits for answers. */
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
    // Asked many times a second. The thread cannot have worked longer than time has passed, which is cheaper to know.
    isOver: () => isRunning && counted + now() - began > mostMs && usedMs() > mostMs,
  };
};
