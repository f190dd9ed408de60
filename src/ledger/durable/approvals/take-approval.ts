import { canonicalJson } from "../../../json/canonical-json.ts";
import type { ApprovalRecord, Taken } from "../../../words/approval.ts";
import { afterTake } from "../../approval-steps.ts";
import { isEnded } from "../../is-ended.ts";
import { unavailable } from "../../refusals.ts";
import type { Script } from "../database.ts";
import type { Page } from "../page.ts";
import { toSealed } from "../payloads/payload.ts";
import type { Store } from "../store.ts";
import { reopen } from "../write-entries.ts";
import type { Operation } from "../writer.ts";
import { changeApproval, type KeptApproval, keptApproval } from "./approval-row.ts";

/** From `answered` to `used`. Its entry is open again from here on, and this store's own. */
export const taking = (store: Store, id: string, at: number): Operation<Taken> => ({
  entryIds: [],
  *run(page) {
    const kept = yield* keptApproval(id);
    const { kind, next } = afterTake(kept?.record, at);
    if (kept === undefined || next === undefined) return { kind } as Taken;
    if (kind !== "taken") {
      yield* step(page, { ...kept, record: next }, "expired", at);
      return { kind } as Taken;
    }
    const entry = yield* page.entry(next.entryId);
    // Its call came to an end without it: whoever went on now would make it a second time.
    if (entry === undefined || isEnded(entry.ending) || entry.ending === "open") {
      yield* step(page, { ...kept, record: { ...next, status: "void" } }, "annulled", at);
      return { kind: "void" };
    }
    const record = yield* withExactTexts(store, page, { ...kept, record: next });
    const seq = yield* step(page, { ...kept, record: next }, "used", at);
    yield* reopen(store, page, entry, seq);
    return { kind: "taken", record };
  },
});

function* step(page: Page, kept: KeptApproval, kind: string, at: number): Script<number> {
  const { id, entryId, runId } = kept.record;
  yield changeApproval(kept);
  return page.append({ at, kind, entryId, runId, body: canonicalJson({ id }) });
}

/** What was asked and what was put in its place, as they were; only whoever goes on with the call gets to see them. */
function* withExactTexts(store: Store, page: Page, kept: KeptApproval): Script<ApprovalRecord> {
  const { record, isExact, isEditExact } = kept;
  const { id, entryId, decision } = record;
  if (isExact && isEditExact) return record;
  yield* page.flush();
  const rows = yield {
    sql: "SELECT kind, sealed, file FROM haft_payloads WHERE entry_id = ? AND kind IN (?, ?)",
    values: [entryId, `approval:${id}`, `edit:${id}`],
  };
  const textOf = (kind: string): unknown => {
    const row = rows.find((each) => each.kind === `${kind}:${id}`);
    if (row === undefined) return undefined;
    return JSON.parse(store.vault.unseal(toSealed(row.sealed, row.file), `${id}/${kind}`));
  };
  const input = isExact ? record.input : (textOf("approval") ?? record.input);
  if (decision?.kind !== "edit" || isEditExact) return { ...record, input };
  const edited = textOf("edit");
  if (edited === undefined) {
    throw unavailable(`The arguments that were put in place of those of "${id}" are no longer kept.`);
  }
  return { ...record, input, decision: { kind: "edit", input: edited } };
}
