/** Milliseconds of work that this thread has done. What else the machine does at the same time is not in it. */
export const cpuTime = (): number => {
  // allow-sleep: only test/targets.test.ts measures time
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
