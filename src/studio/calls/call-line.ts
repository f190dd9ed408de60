import type { LedgerEntry } from "../../words/ledger.ts";
import { startOf } from "../text.ts";
import type { CallLine } from "../words/calls.ts";

/** Questions to models stand in the ledger too, under this name. */
export const isModelCall = ({ tool }: Pick<LedgerEntry, "tool">): boolean => tool.startsWith("model:");

export const toCallLine = (entry: LedgerEntry): CallLine => {
  const { entryId, callId, runId, tool, at, ending, result, message, provenance, taints = [] } = entry;
  const { agent, user, tenant, session, parentId, code, durationMs, cost } = entry;
  return {
    entryId,
    callId,
    runId,
    tool,
    at,
    ending,
    ...given({ agent, user, tenant, session, parentId, code, durationMs, cost }),
    input: startOf(entry.input),
    ...(result === undefined ? {} : { result: startOf(result) }),
    ...(message === undefined ? {} : { message: startOf(message, 500) }),
    isModel: isModelCall(entry),
    ...(provenance?.repaired === true ? { isRepaired: true as const } : {}),
    ...(taints.length === 0 ? {} : { isTainted: true as const }),
  };
};

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> };

/** Without what is not there: JSON has no word for it. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<T>;
