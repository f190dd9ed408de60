import type { Usage } from "../../words/model.ts";
import { isChatRun, isJobRun, isScheduleRun, isSessionRun, type RunSummary } from "../../words/run-book.ts";
import { given } from "../calls/call-line.ts";
import { toCaller } from "../person.ts";
import type { RunLine, Tokens } from "../words/runs.ts";

const kindOf = (runId: string): RunLine["kind"] => {
  if (isJobRun(runId)) return "job";
  if (isSessionRun(runId)) return "session";
  if (isChatRun(runId)) return "chat";
  return isScheduleRun(runId) ? "schedule" : "run";
};

export const toTokens = ({ inputTokens, outputTokens, cachedTokens }: Usage): Tokens => ({
  input: inputTokens,
  output: outputTokens,
  ...given({ cached: cachedTokens }),
});

export const toRunLine = (run: RunSummary): RunLine => {
  const { runId, agent, principal, status, reason, turns, usage, startedAt, updatedAt } = run;
  return {
    runId,
    kind: kindOf(runId),
    agent,
    ...(principal === undefined ? {} : { caller: toCaller(principal) }),
    status,
    ...given({ reason }),
    isHeld: run.isHeld === true,
    turns,
    tokens: toTokens(usage),
    startedAt,
    updatedAt,
  };
};
