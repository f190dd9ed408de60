import * as Effect from "effect/Effect";
import type { LedgerError } from "../../types/errors.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import type { BoundCall, CallServices } from "../call-state.ts";

/**
 * Why a call requires approval that repeats these entries. Undefined if all of them were settled as not having
 * taken effect.
 */
export const findRepeatReason = (
  { ledger }: Pick<CallServices, "ledger">,
  { request }: Pick<BoundCall, "request">,
  entryIds: readonly string[],
): Effect.Effect<string | undefined> => {
  const read = (entryId: string): Effect.Effect<LedgerEntry | undefined, LedgerError> =>
    Effect.map(ledger.entries({ entryId }), ([entry]) => entry);
  const reading = Effect.forEach(entryIds, (entryId) => Effect.orElseSucceed(read(entryId), () => undefined));
  return Effect.map(reading, (entries) => {
    const made = (entry: LedgerEntry | undefined): string =>
      entry === undefined || entry.runId === request.scope.id ? madeInThisRun : madeBefore;
    const settled = entries.find((entry) => entry?.settlement?.tookEffect === true);
    if (settled !== undefined) return `${made(settled)}, and it took effect`;
    const unknown = entries.findIndex((entry) => entry?.settlement === undefined);
    return unknown === -1 ? undefined : `${made(entries[unknown])}, ${unknownEffectText}`;
  });
};

const madeInThisRun = "the same call was made in this run";
const madeBefore = "the same call was made before";
export const unknownEffectText = "and whether it took effect is unknown";
