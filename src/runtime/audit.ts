import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { EntryClosing, EntryOpening, LedgerStore, Masking } from "../types/ledger.ts";

/** A call that ended. Known secrets are masked. */
export interface AuditRecord
  extends Pick<
      EntryOpening,
      "entryId" | "callId" | "runId" | "agent" | "session" | "user" | "tenant" | "correlationId" | "at"
    >,
    Pick<EntryClosing, "code" | "message" | "decision" | "ruleIds" | "durationMs" | "cost"> {
  /** Full name of the tool; for an unknown tool the requested name. */
  readonly tool: string;
  readonly success: boolean;
}

/** Receives every ended call before its reply is returned. */
export interface AuditService {
  /** Errors and timeouts are logged and do not affect the call. */
  readonly record: (record: AuditRecord) => Effect.Effect<void, unknown>;
}

/** The service that receives every ended call, in addition to the ledger. */
export class Audit extends Context.Service<Audit, AuditService>()("haft/Audit") {}

type EntryFacts = Omit<EntryOpening, "input" | "inputHash">;

export interface AuditOptions {
  readonly masking: Masking;
  readonly withinMs: number;
}

export const auditedLedger = (
  ledger: LedgerStore,
  audit: AuditService,
  { masking, withinMs }: AuditOptions,
): LedgerStore => {
  const openEntries = new Map<string, EntryFacts>();

  const entryFactsOf = (entryId: string): Effect.Effect<EntryFacts | undefined> => {
    const known = openEntries.get(entryId);
    if (known !== undefined) return Effect.succeed(known);
    return ledger.entries({ entryId }).pipe(
      Effect.map(([entry]) => entry),
      Effect.catch(() => Effect.succeed(undefined)),
    );
  };

  const recordEnding = (closing: EntryClosing) =>
    Effect.gen(function* () {
      const parties = yield* entryFactsOf(closing.entryId);
      openEntries.delete(closing.entryId);
      if (parties === undefined) return;
      yield* Effect.suspend(() => audit.record(toAuditRecord(parties, closing, masking))).pipe(
        Effect.interruptible,
        Effect.timeout(withinMs),
      );
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning(`The audit of call "${closing.entryId}" failed: ${Cause.pretty(cause)}`),
      ),
    );

  const open: LedgerStore["open"] = (opening) =>
    Effect.tap(ledger.open(opening), () =>
      Effect.sync(() => {
        const { input, inputHash, ...parties } = opening;
        openEntries.set(opening.entryId, parties);
      }),
    );
  const close: LedgerStore["close"] = (closing) => {
    // Pending and hydrated entries are closed again, possibly by another process.
    const isOver = closing.ending !== "pending" && closing.ending !== "hydrated";
    return Effect.tap(ledger.close(closing), () =>
      isOver ? recordEnding(closing) : Effect.sync(() => openEntries.delete(closing.entryId)),
    );
  };
  return new Proxy(ledger, {
    get: (store, name) => {
      if (name === "open") return open;
      if (name === "close") return close;
      // Methods of stores with private fields need their own `this`.
      const member: unknown = Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
};

const toAuditRecord = (facts: EntryFacts, closing: EntryClosing, { text }: Masking): AuditRecord => {
  const { entryId, callId, runId, agent, session, user, tenant, correlationId, at } = facts;
  const { code, message, decision, ruleIds, durationMs, cost } = closing;
  return Object.freeze({
    entryId,
    callId,
    runId,
    tool: closing.tool ?? facts.tool,
    agent,
    session,
    user,
    tenant,
    correlationId,
    at,
    success: closing.ending === "executed",
    code,
    message: message === undefined ? undefined : text(message),
    decision,
    ruleIds,
    durationMs,
    cost,
  });
};
