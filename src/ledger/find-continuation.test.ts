import { expect, it } from "vitest";
import type { RunRecord } from "../types/run-store.ts";
import { findContinuation } from "./find-continuation.ts";

const run = (fields: Partial<RunRecord> = {}): RunRecord => ({
  runId: "run-1",
  agent: "clerk",
  principal: undefined,
  status: "pending",
  turns: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
  startedAt: 0,
  updatedAt: 0,
  messages: [{ role: "user", content: "Pay" }],
  given: 1,
  ...fields,
});

it.each([
  ["session-1", undefined, 3, "session"],
  ["chat-1", run(), 0, "chat"],
  ["job-1", run(), 0, "worker"],
  ["job-1", run(), 1, "approvals"],
  ["job-1", undefined, 0, "worker"],
  ["schedule-1", run(), 0, "none"],
  ["run-1", undefined, 1, "client"],
  ["run-1", run(), 1, "approvals"],
  ["run-1", run({ isHeld: true }), 0, "holder"],
  ["run-1", run({ status: "done" }), 0, "holder"],
  ["run-1", run({ messages: [] }), 0, "none"],
  ["run-1", run(), 0, "caller"],
] as const)("after an answer in %s with the record %o and %i open approvals, %s continues", (...example) => {
  const [runId, record, openApprovals, continuation] = example;
  expect(findContinuation(runId, record, openApprovals)).toBe(continuation);
});
