import type { ChainRow, DurableLedger } from "../../../types/durable-ledger.ts";
import { runLedger } from "../studio-services.ts";

export interface LedgerChanges {
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  /** Newest first. */
  readonly entryIds: readonly string[];
  readonly runIds: readonly string[];
  readonly approvalRunIds: readonly string[];
  readonly position: LedgerPosition;
  readonly hasMissedChanges: boolean;
}

/** The last known row of each chain. */
export type LedgerPosition = readonly number[];

export const maxChangeRows = 5_000;

const approvalRowKinds: ReadonlySet<string> = new Set([
  "asked",
  "answered",
  "expired",
  "used",
  "annulled",
  "refused",
]);

export const readChanges = async (
  durable: DurableLedger,
  position: LedgerPosition,
): Promise<LedgerChanges> => {
  const rows = await runLedger(durable.rows({ behind: position, limit: maxChangeRows }));
  const hasMissedChanges = rows.length >= maxChangeRows;
  const next = hasMissedChanges ? await currentPosition(durable) : advancePosition(position, rows);
  const latest = rows.toSorted((one, other) => other.at - one.at);
  const ofKind = (kind: string): readonly ChainRow[] => rows.filter((row) => row.kind === kind);
  const endings = ofKind("closed").map(({ body }) => body.ending);
  const ids = (of: readonly ChainRow[], field: "entryId" | "runId"): readonly string[] => [
    ...new Set(of.flatMap((row) => row[field] ?? [])),
  ];
  return {
    started: ofKind("opened").length,
    ended: endings.filter((ending) => ending === "executed" || ending === "failed").length,
    failed: endings.filter((ending) => ending === "failed").length,
    entryIds: ids(
      latest.filter(({ kind }) => kind === "opened" || kind === "closed" || kind === "lost"),
      "entryId",
    ),
    runIds: ids(
      latest.filter(({ kind }) => kind.startsWith("run-")),
      "runId",
    ),
    approvalRunIds: ids(
      latest.filter(({ kind, body }) => approvalRowKinds.has(kind) || body.ending === "pending"),
      "runId",
    ),
    position: next,
    hasMissedChanges,
  };
};

export const currentPosition = async (durable: DurableLedger): Promise<LedgerPosition> =>
  (await runLedger(durable.heads())).map(({ seq }) => seq);

/** Row numbers include their chain. */
const advancePosition = (position: LedgerPosition, rows: readonly ChainRow[]): LedgerPosition => {
  const last = new Map(position.map((seq) => [Math.floor(seq / 2 ** 32), seq]));
  for (const { chain, seq } of rows) last.set(chain, Math.max(seq, last.get(chain) ?? 0));
  return [...last.values()];
};

export const positionToEventId = (position: LedgerPosition): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

export const parseEventId = (id: string | null): LedgerPosition | undefined => {
  if (id === null || id === "") return undefined;
  try {
    const position: unknown = JSON.parse(Buffer.from(id, "base64url").toString("utf8"));
    const isPosition =
      Array.isArray(position) && position.every((seq) => Number.isSafeInteger(seq) && seq >= 0);
    return isPosition ? (position as LedgerPosition) : undefined;
  } catch {
    return undefined;
  }
};
