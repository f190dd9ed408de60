import * as Effect from "effect/Effect";
import type { ApprovalQuery, ApprovalRecord, ApprovalStore } from "../../types/approval.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { LedgerEntry, LedgerStore, Settlement } from "../../types/ledger.ts";
import { unknownEffectText } from "../3-authorize/find-repeat-reason.ts";
import { ledgerFlag } from "../ledger-flag.ts";

/** For approvers: an earlier call with the same caller, tool and arguments may have taken effect. */
export const earlierCallNote = (
  { entryId, settlement }: Pick<LedgerEntry, "entryId" | "settlement">,
  place: string | undefined,
): string =>
  settlement === undefined
    ? `${unsettledText}${entryId}. Settle it first: haft settle ${entryId}${ledgerFlag(place)} --took-effect or --did-not`
    : `An earlier call with the same arguments ${effectText(settlement)}: ${entryId}, settled by ${settlement.by} at ${new Date(settlement.at).toISOString()}`;

const unsettledText = "An earlier call with the same arguments may have taken effect: ";
const unsettledNote =
  /An earlier call with the same arguments may have taken effect: (\S+)\. Settle it first: haft settle \1\b.* --took-effect or --did-not/;

const effectText = ({ tookEffect }: Settlement): string =>
  tookEffect ? "took effect" : "did not take effect";

/** The earlier call may have been settled since the request was made. */
export const withCurrentReason = (
  ledger: Pick<LedgerStore, "entries">,
  record: ApprovalRecord,
): Effect.Effect<ApprovalRecord> => {
  const { status, reason } = record;
  const [note, entryId] = (status === "waiting" ? unsettledNote.exec(reason) : null) ?? [];
  if (note === undefined || entryId === undefined) return Effect.succeed(record);
  const found = Effect.orElseSucceed(ledger.entries({ entryId }), (): readonly LedgerEntry[] => []);
  return Effect.map(found, ([entry]) => {
    if (entry?.settlement === undefined) return record;
    const now = reason
      .replace(note, () => earlierCallNote(entry, undefined))
      .replace(unknownEffectText, () => `and it ${effectText(entry.settlement!)}`);
    return { ...record, reason: now };
  });
};

/** Lists approvals with reasons that are true now. */
export const listCurrentApprovals = (
  ledger: Pick<LedgerStore, "entries"> & { readonly approvals: Pick<ApprovalStore, "list"> },
  query?: ApprovalQuery,
): Effect.Effect<readonly ApprovalRecord[], LedgerError> =>
  Effect.flatMap(ledger.approvals.list(query), (records) =>
    Effect.forEach(records, (record) => withCurrentReason(ledger, record)),
  );
