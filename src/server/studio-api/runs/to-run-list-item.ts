import type { Usage } from "../../../types/model.ts";
import { runKindOf } from "../../../types/run-kinds.ts";
import type { RunSummary } from "../../../types/run-store.ts";
import { definedFields } from "../defined-fields.ts";
import { toCaller } from "../person.ts";
import type { RunListItem, Tokens } from "../schemas/runs.ts";

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
