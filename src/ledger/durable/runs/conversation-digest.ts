import { hashText } from "../../../json/hash.ts";
import { withPrevious } from "../chain/believed.ts";
import { readBody } from "../chain/link.ts";
import type { Row, Script } from "../database.ts";
import { toSealed } from "../payloads/payload.ts";
import type { Vault } from "../payloads/vault.ts";

/** One hash over the messages of a run in their order: each covers those before it. */
export const digestOf = (texts: readonly string[], before = ""): string =>
  texts.reduce((digest, text) => hashText(`${digest}\n${hashText(text)}`), before);

export const sealedFor = (runId: string): string => `${runId}/message`;

/** The messages of a run as they are kept; none where there is no key to keep them under. */
export function* readTexts(vault: Vault, runId: string): Script<readonly string[]> {
  const rows = yield {
    sql: "SELECT sealed, file FROM haft_run_messages WHERE run_id = ? ORDER BY number",
    values: [runId],
  };
  return rows.map(({ sealed, file }) => vault.unseal(toSealed(sealed, file), sealedFor(runId)));
}

/** What the chain tells of a run: how it began, and what its conversation is. Runs of 0.1.0 have no steps. */
interface ToldRun {
  readonly began: Row | undefined;
  readonly step: Row | undefined;
}

/**
 * Whoever claims a run goes on in a chain of its own, so of the last steps in several chains the one of the newest claim
 * counts.
 */
export function* readTold({ run_id, began_seq }: Row): Script<ToldRun> {
  const rows = yield {
    sql: withPrevious(
      // Said as one condition, it would be looked for in every row.
      `SELECT * FROM haft_records WHERE seq = ? UNION ALL
       SELECT * FROM haft_records WHERE seq IN (SELECT MAX(seq) FROM haft_records
         WHERE run_id = ? AND kind = 'run-step' GROUP BY chain)`,
    ),
    values: [Number(began_seq), String(run_id)],
  };
  const began = rows.find(({ seq }) => seq === began_seq);
  return { began, step: newestStep(rows.filter((row) => row !== began)) };
}

/** Rows that name no claim are older than all that do. */
export const newestStep = (steps: readonly Row[]): Row | undefined =>
  steps.toSorted((one, other) => epochOf(other) - epochOf(one) || Number(other.seq) - Number(one.seq))[0];

const epochOf = ({ body }: Row): number => Number(readBody(body).epoch ?? 0);
