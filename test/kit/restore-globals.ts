import { afterAll, vi } from "vitest";

// Test files share a process, so replaced globals must not reach the next file.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
