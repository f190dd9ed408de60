import type { LedgerEntry, SettlementRequest, SettlementResult } from "../../types/ledger.ts";
import { maskSettlement } from "../mask-settlement.ts";
import { checkSettleable, toSettledClosing } from "../settled-closing.ts";
import { parseRowBody } from "./chain/signed-row.ts";
import type { Script } from "./database.ts";
import type { DurableStore } from "./durable-store.ts";
import type { EntryState } from "./entry-state.ts";
import type { Operation } from "./group-writer.ts";
import { releaseKeys } from "./keys/release-key.ts";
import { sealLazily } from "./payloads/seal-lazily.ts";
import { toStorableName } from "./row-texts.ts";
import { toEntryEnding } from "./stored-ending.ts";
import type { Transaction } from "./transaction.ts";
import { deletePayload } from "./write-entries.ts";

type SettleOutcome = Exclude<SettlementResult, { readonly kind: "done" }> | { readonly kind: "done" };

export const settleEntry = (store: DurableStore, request: SettlementRequest): Operation<SettleOutcome> => {
  const { rowTexts, vault } = store;
  const entryId = toStorableName(request.entryId);
  const { result } = request;
  const shown = result === undefined ? undefined : rowTexts.text(result);
  const isExact = shown === result;
  const sealed = sealLazily(vault, isExact ? undefined : result, `${entryId}/result`);
  return {
    entryIds: [entryId],
    full: true,
    discard: sealed.discard,
    *run(transaction) {
      const entry = yield* transaction.entry(entryId);
      if (entry === undefined) return { kind: "missing" };
      const before = yield* readClosing(transaction, entry);
      const refused = checkSettleable({ ...before, ending: toEntryEnding(entry.ending) });
      if (refused !== undefined) return refused as SettleOutcome;
      const at = store.now();
      const { settlement, ...closing } = toSettledClosing(request, entry.tool, at);
      const { behind: _, isExact: __, ...kept } = before;
      const body = JSON.stringify({
        ...kept,
        ...closing,
        isExact,
        result: shown,
        settlement: maskSettlement(settlement, rowTexts.text),
        tool: entry.tool,
      });
      const { runId } = entry;
      const row = { at, kind: "closed", entryId, runId, body: transaction.behind(entry, body) };
      const ending = settlement.tookEffect ? "settled" : closing.ending;
      transaction.end(entry, ending, entry.tool, transaction.append(row), at);
      if (!settlement.tookEffect && entry.keyed) yield* releaseKeys(transaction, entry);
      const text = sealed.tryGet();
      if (text === undefined) return { kind: "done" };
      if (entry.payloads) yield* deletePayload(transaction, entryId, "result");
      transaction.keep([entryId, "result", runId, ...text]);
      transaction.change(entry, { payloads: true });
      return { kind: "done" };
    },
  };
};

function* readClosing(
  transaction: Transaction,
  { closeSeq }: EntryState,
): Script<Partial<LedgerEntry> & { readonly behind?: unknown; readonly isExact?: unknown }> {
  if (closeSeq === null) return {};
  yield* transaction.flush();
  const [row] = yield { sql: "SELECT body FROM haft_records WHERE seq = ?", values: [closeSeq] };
  return parseRowBody(row?.body);
}
