import { afterAll, vi } from "vitest";

// Test files share a process: what one of them replaces must not reach the next.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
