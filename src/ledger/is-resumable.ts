import type { RunSummary } from "../types/run-store.ts";

/** Whether somebody may still go on with a run: whoever repairs what made it fail does. Until then its texts are kept. */
export const isResumable = (status: RunSummary["status"]): boolean =>
  status === "running" || status === "pending" || status === "failed";
