/** Whether a process of this id is there. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !isUndead(pid);
  } catch {
    return false;
  }
};
