import type { RunSummary } from "../types/run-store.ts";

/** Failed runs can be resumed, so their texts are kept. */
export const isResumable = (status: RunSummary["status"]): boolean =>
  status === "running" || status === "pending" || status === "failed";
