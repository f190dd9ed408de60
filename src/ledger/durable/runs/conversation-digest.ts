import { hashText } from "../../../json/hash.ts";
import { withPrevious } from "../chain/believed.ts";
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

/** The newest row of the chain that says what the conversation of a run is; runs of 0.1.0 have none. */
export function* latestStep(runId: string): Script<Row | undefined> {
  const [step] = yield {
    sql: withPrevious(
      "SELECT * FROM haft_records WHERE run_id = ? AND kind = 'run-step' ORDER BY seq DESC LIMIT 1",
    ),
    values: [runId],
  };
  return step;
}
