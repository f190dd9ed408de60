/** Limits of every attack: short, so that many attacks run in little time. */
export const limits = {
  wallMs: 1_000,
  cpuMs: 1_000,
  memoryBytes: 64 * 1024 * 1024,
  calls: 100,
  callBytes: 1024 * 1024,
  logBytes: 64 * 1024,
} as const;
