import type { EntryClosing, SettlementRequest, SettlementResult } from "../../types/ledger.ts";
import { checkSettleable, toSettledClosing } from "../settled-closing.ts";
import { type MemoryState, toMemoryEntry } from "./memory-row.ts";

export const settleMemoryEntry = (state: MemoryState, request: SettlementRequest): SettlementResult => {
  const row = state.rows.get(request.entryId);
  if (row === undefined) return { kind: "missing" };
  const entry = toMemoryEntry(row, state.redactor);
  const refused = checkSettleable(entry);
  if (refused !== undefined) return refused;
  const settled = toSettledClosing(request, entry.tool, Date.now());
  const closing: EntryClosing = {
    tool: entry.tool,
    decision: undefined,
    original: undefined,
    notes: [],
    durationMs: 0,
    ...row.closing,
    entryId: request.entryId,
    ...settled,
  };
  state.end(row, closing);
  return { kind: "done", entry: toMemoryEntry(row, state.redactor) };
};
