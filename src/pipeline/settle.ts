import * as Effect from "effect/Effect";
import { type AnyToolError, ConfigurationError, LedgerError, ToolIdempotencyError } from "../types/errors.ts";
import type { LedgerEntry, LedgerStore } from "../types/ledger.ts";
import { type NotSettledKind, notSettledError } from "../types/not-settled-error.ts";
import { succeeded } from "../types/outcome.ts";
import { isUnsettled } from "../types/settlement.ts";
import type { Registration } from "../types/tool.ts";
import { checkResult, toPlainValue } from "./6-check/check.ts";
import type { CallServices } from "./call-state.ts";
import { reconcileRecordedCall } from "./reconcile.ts";

/** An operator's finding about a call whose effect is unknown. */
export interface SettlementFinding {
  readonly tookEffect: boolean;
  /** The tool's result, if known; later calls with the same key receive it. */
  readonly result?: unknown;
  /** The reason, for the record. */
  readonly reason?: string | undefined;
  /** Name of the operator, for the record. */
  readonly by?: string | undefined;
}

/** Without a finding, the tool's `reconcile` decides. */
export const settleCall = (
  services: CallServices,
  callId: string,
  finding: SettlementFinding | undefined,
  isVisible: (entry: LedgerEntry) => boolean = () => true,
): Effect.Effect<LedgerEntry, AnyToolError> =>
  Effect.gen(function* () {
    const { ledger, registry } = services;
    if (ledger.settle === undefined) return yield* Effect.fail(settlementUnsupportedError());
    const entry = yield* findUnsettled(ledger, callId, isVisible);
    const found = registry.resolve(entry.tool);
    const registration = found.ok ? found.registration : undefined;
    if (finding === undefined) return yield* reconcileEntry(services, entry, registration);
    const result = yield* toResultText(services, finding, registration);
    const { tookEffect, reason, by = "the application" } = finding;
    const settled = yield* ledger.settle({ entryId: entry.entryId, tookEffect, reason, by, result });
    return settled.kind === "done" ? settled.entry : yield* Effect.fail(notSettledError(entry, settled.kind));
  });

/** Call ids of models may be ambiguous. */
const findUnsettled = (
  ledger: LedgerStore,
  callId: string,
  isVisible: (entry: LedgerEntry) => boolean,
): Effect.Effect<LedgerEntry, AnyToolError> =>
  Effect.gen(function* () {
    const [byEntry] = (yield* ledger.entries({ entryId: callId })).filter(isVisible);
    if (byEntry !== undefined) return byEntry;
    const named = (yield* ledger.entries({ callId })).filter(isVisible);
    const unsettled = named.filter(isUnsettled);
    const [entry] = unsettled.length > 0 ? unsettled : named;
    if (unsettled.length > 1) return yield* Effect.fail(ambiguousCallIdError(callId, unsettled));
    return entry ?? (yield* Effect.fail(notSettledError({ entryId: callId }, "missing")));
  });

const reconcileEntry = (
  services: CallServices,
  entry: LedgerEntry,
  registration: Registration | undefined,
): Effect.Effect<LedgerEntry, AnyToolError> =>
  Effect.gen(function* () {
    const { ledger } = services;
    const { entryId } = entry;
    if (registration?.tool.reconcile === undefined) return yield* Effect.fail(reconcileMissingError(entry));
    if (!isUnsettled(entry)) return yield* Effect.fail(notSettledError(entry, notSettledKindOf(entry)));
    const kept = yield* ledger.recall?.(entryId) ?? Effect.succeed(undefined);
    const isSettled = yield* reconcileRecordedCall(services, entry, registration, kept?.input);
    if (isSettled === undefined) return yield* Effect.fail(inputNotKeptError(entry));
    if (!isSettled) return yield* Effect.fail(effectUnknownError(entry));
    const [settled] = yield* ledger.entries({ entryId });
    return settled ?? entry;
  });

const notSettledKindOf = ({ ending, settlement }: LedgerEntry): NotSettledKind => {
  if (settlement !== undefined) return "settled";
  if (ending === "open") return "running";
  return ending === "pending" || ending === "hydrated" ? "pending" : "known";
};

const toResultText = (
  { settings }: CallServices,
  { tookEffect, result }: SettlementFinding,
  registration: Registration | undefined,
): Effect.Effect<string | undefined, ConfigurationError> => {
  if (result === undefined) return Effect.succeed(undefined);
  if (!tookEffect) return failInvalidResult("A call that did not take effect has no result.");
  if (registration === undefined) {
    const plain = toPlainValue(result);
    return plain.ok ? Effect.succeed(plain.text) : failInvalidResult(`The result is not JSON: ${plain.why}.`);
  }
  const { outcome, text } = checkResult(registration, succeeded(result), settings);
  return outcome._tag === "failure" ? failInvalidResult(outcome.failure.message) : Effect.succeed(text);
};

const failInvalidResult = (message: string) =>
  Effect.fail(new ConfigurationError("invalid_config", `${message} Nothing was settled.`));

const ambiguousCallIdError = (callId: string, entries: readonly LedgerEntry[]): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "not_settled",
    `Several calls have the id "${callId}". Use the id of one entry: ${entries.map(({ entryId }) => entryId).join(", ")}.`,
  );

const reconcileMissingError = ({ entryId, tool }: LedgerEntry): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "not_settled",
    `The call ${entryId} cannot be settled: "${tool}" is not a tool of this runtime, or has no \`reconcile\`. Check whether it took effect, and settle it with --took-effect or --did-not.`,
  );

const inputNotKeptError = ({ entryId }: LedgerEntry): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "not_settled",
    `The call ${entryId} cannot be reconciled: its exact arguments are not stored. Set HAFT_LEDGER_KEY before calls are made, or settle it with --took-effect or --did-not.`,
  );

const effectUnknownError = ({ entryId, tool }: LedgerEntry): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "not_settled",
    `The \`reconcile\` of "${tool}" could not find out whether the call ${entryId} took effect. Settle it with --took-effect or --did-not.`,
  );

const settlementUnsupportedError = (): LedgerError =>
  new LedgerError(
    "ledger_unavailable",
    "This ledger cannot record settlements: its store has no `settle`. Use sqlite: or postgres:.",
  );
