import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives a run a temporary directory of its own, and removes it with everything that tests and processes left there. */
export default (): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-tests-"));
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
};
