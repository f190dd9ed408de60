import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Script } from "../database.ts";
import type { Page } from "../page.ts";
import type { Operation } from "../writer.ts";
import type { Owner } from "./owners.ts";

const body = canonicalJson({ ending: "unknown" });

/**
 * What the dead left: entries that were open are closed as `unknown`, which nobody ever does again by himself, and
 * runs may be claimed. All of one owner's or nothing.
 */
export const losing = ({ owner, heartbeat }: Owner, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    const [row] = yield { sql: "SELECT low, heartbeat FROM haft_owners WHERE owner = ?", values: [owner] };
    // Somebody else was faster, or it was only very slow.
    if (row === undefined || Number(row.heartbeat) !== heartbeat) return;
    yield* leave(page, owner, Number(row.low), at);
  },
});

/** This store goes: whatever is open in it now is not closed by anybody any more. */
export const leaving = (owner: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    const [row] = yield { sql: "SELECT low FROM haft_owners WHERE owner = ?", values: [owner] };
    if (row !== undefined) yield* leave(page, owner, Number(row.low), at);
  },
});

function* leave(page: Page, owner: string, low: number, at: number): Script<void> {
  yield* page.flush();
  const left = yield {
    sql: `SELECT entry_id FROM haft_entries WHERE open_seq >= ? AND ending = 'open' AND owner = ?`,
    values: [low, owner],
  };
  for (const { entry_id } of left) yield* lose(page, String(entry_id), at);
  yield { sql: "UPDATE haft_runs SET owner = NULL WHERE owner = ?", values: [owner] };
  yield { sql: "DELETE FROM haft_owners WHERE owner = ?", values: [owner] };
}

function* lose(page: Page, entryId: string, at: number): Script<void> {
  const entry = yield* page.entry(entryId);
  if (entry?.ending !== "open") return;
  const seq = page.append({ at, kind: "lost", entryId, runId: entry.runId, body });
  page.change(entry, { ending: "unknown", lastSeq: seq, closedAt: at });
}
