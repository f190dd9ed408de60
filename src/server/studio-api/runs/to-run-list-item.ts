import type { Usage } from "../../../types/model.ts";
import {
  isChatRun,
  isJobRun,
  isScheduleRun,
  isSessionRun,
  type RunSummary,
} from "../../../types/run-store.ts";
import { definedFields } from "../defined-fields.ts";
import { toCaller } from "../person.ts";
import type { RunListItem, Tokens } from "../schemas/runs.ts";

const runKindOf = (runId: string): RunListItem["kind"] => {
  if (isJobRun(runId)) return "job";
  if (isSessionRun(runId)) return "session";
  if (isChatRun(runId)) return "chat";
  return isScheduleRun(runId) ? "schedule" : "run";
};

export const toTokens = ({ inputTokens, outputTokens, cachedTokens }: Usage): Tokens => ({
  input: inputTokens,
  output: outputTokens,
  ...definedFields({ cached: cachedTokens }),
});

export const toRunListItem = (run: RunSummary): RunListItem => {
  const { runId, agent, principal, status, reason, turns, usage, startedAt, updatedAt } = run;
  return {
    runId,
    kind: runKindOf(runId),
    agent,
    ...(principal === undefined ? {} : { caller: toCaller(principal) }),
    status,
    ...definedFields({ reason }),
    isHeld: run.isHeld === true,
    turns,
    tokens: toTokens(usage),
    startedAt,
    updatedAt,
  };
};
