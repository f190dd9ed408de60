import type { ChainRow, DurableLedger } from "../../words/durable-ledger.ts";
import { ask } from "../world.ts";

/** What happened since somebody looked last. */
export interface Changes {
  readonly began: number;
  readonly ended: number;
  readonly failed: number;
  /** Calls that began or ended, newest first. */
  readonly entryIds: readonly string[];
  /** Runs that went on, and runs of which something was asked or answered. */
  readonly runIds: readonly string[];
  readonly askedIn: readonly string[];
  /** Where to look on from. */
  readonly place: Place;
  /** More happened than was read. */
  readonly isBehind: boolean;
}

/** The last row that is known of each chain. */
export type Place = readonly number[];

export const mostRows = 5_000;

const ofApprovals: ReadonlySet<string> = new Set([
  "asked",
  "answered",
  "expired",
  "used",
  "annulled",
  "refused",
]);

/** Of this process and of every other over the same ledger: the rows behind a place say it all. */
export const changesIn = async (durable: DurableLedger, place: Place): Promise<Changes> => {
  const rows = await ask(durable.rows({ behind: place, limit: mostRows }));
  const isBehind = rows.length >= mostRows;
  const next = isBehind ? await placeNow(durable) : placeBehind(place, rows);
  const latest = rows.toSorted((one, other) => other.at - one.at);
  const ofKind = (kind: string): readonly ChainRow[] => rows.filter((row) => row.kind === kind);
  const endings = ofKind("closed").map(({ body }) => body.ending);
  const ids = (of: readonly ChainRow[], field: "entryId" | "runId"): readonly string[] => [
    ...new Set(of.flatMap((row) => row[field] ?? [])),
  ];
  return {
    began: ofKind("opened").length,
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
    askedIn: ids(
      latest.filter(({ kind, body }) => ofApprovals.has(kind) || body.ending === "pending"),
      "runId",
    ),
    place: next,
    isBehind,
  };
};

export const placeNow = async (durable: DurableLedger): Promise<Place> =>
  (await ask(durable.heads())).map(({ seq }) => seq);

/** Each chain has its own numbers: the largest of each is where it ends now. */
const placeBehind = (place: Place, rows: readonly ChainRow[]): Place => {
  const last = new Map(place.map((seq) => [Math.floor(seq / 2 ** 32), seq]));
  for (const { chain, seq } of rows) last.set(chain, Math.max(seq, last.get(chain) ?? 0));
  return [...last.values()];
};

export const toEventId = (place: Place): string => Buffer.from(JSON.stringify(place)).toString("base64url");

export const readEventId = (id: string | null): Place | undefined => {
  if (id === null || id === "") return undefined;
  try {
    const place: unknown = JSON.parse(Buffer.from(id, "base64url").toString("utf8"));
    const isPlace = Array.isArray(place) && place.every((seq) => Number.isSafeInteger(seq) && seq >= 0);
    return isPlace ? (place as Place) : undefined;
  } catch {
    return undefined;
  }
};
