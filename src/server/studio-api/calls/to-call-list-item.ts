import type { LedgerEntry } from "../../../types/ledger.ts";
import { isModelKey } from "../../../types/model-key.ts";
import { definedFields } from "../defined-fields.ts";
import type { CallListItem } from "../schemas/call-list-items.ts";
import { textBeginning } from "../to-text.ts";

/** Model calls are recorded as tools with this prefix. */
export const toCallListItem = (entry: LedgerEntry): CallListItem => {
  const { entryId, callId, runId, tool, at, ending, result, message, provenance, taints = [] } = entry;
  const { agent, user, tenant, session, parentId, code, cost, ranWith } = entry;
  const isRepaired = provenance?.repaired === true;
  return {
    entryId,
    callId,
    runId,
    tool,
    at,
    ending,
    ...definedFields({
      agent,
      user,
      tenant,
      session,
      parentId,
      code,
      durationMs: executionMsOf(entry),
      cost,
    }),
    input: textBeginning(entry.input),
    ...(result === undefined ? {} : { result: textBeginning(result) }),
    ...(message === undefined ? {} : { message: textBeginning(message, 500) }),
    isModel: isModelKey(entry.tool),
    ...(isRepaired ? { isRepaired: true as const } : {}),
    ...(ranWith !== undefined && !isRepaired ? { isChanged: true as const } : {}),
    ...(taints.length === 0 ? {} : { isTainted: true as const }),
  };
};

/** Longer waits before the first attempt come from approvals or limits. */
const minCountedWaitMs = 1_000;

export const executionMsOf = ({ at, durationMs, attempts = [] }: LedgerEntry): number | undefined => {
  const [first] = attempts;
  const waited = first === undefined ? 0 : first.startedAt - at;
  return durationMs === undefined || waited < minCountedWaitMs
    ? durationMs
    : Math.max(0, durationMs - waited);
};
