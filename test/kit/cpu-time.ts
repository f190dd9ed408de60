/** Milliseconds of work that this thread has done. What else the machine does at the same time is not in it. */
// allow-sleep: for test/targets.test.ts
export const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
