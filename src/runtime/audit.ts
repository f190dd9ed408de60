import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { Closing, LedgerStore, Masking, Opening } from "../words/ledger.ts";

/** A call that ended: who made it, what became of it and how long it took. Known secrets are masked. */
export interface AuditRecord
  extends Pick<
      Opening,
      "entryId" | "callId" | "runId" | "agent" | "session" | "user" | "tenant" | "correlationId" | "at"
    >,
    Pick<Closing, "code" | "message" | "decision" | "ruleIds" | "durationMs" | "cost"> {
  /** Full name of the tool, or as it was asked for where none was found. */
  readonly tool: string;
  readonly success: boolean;
}

/** Told of every call that ended, before its reply is given. */
export interface AuditService {
  /** One that fails or takes too long is logged; the call, which is in the ledger, keeps its outcome. */
  readonly record: (record: AuditRecord) => Effect.Effect<void, unknown>;
}

/** The service that is told of every call, success and failure, besides the ledger. */
export class Audit extends Context.Service<Audit, AuditService>()("haft/Audit") {}

type Parties = Omit<Opening, "input" | "inputHash">;

export interface AuditOptions {
  readonly masking: Masking;
  readonly withinMs: number;
}

/** The same ledger, whose endings an audit service hears once they are written. */
export const auditedLedger = (
  ledger: LedgerStore,
  audit: AuditService,
  { masking, withinMs }: AuditOptions,
): LedgerStore => {
  const under = new Map<string, Parties>();

  /** An entry of an earlier process is looked up. */
  const partiesOf = (entryId: string): Effect.Effect<Parties | undefined> => {
    const known = under.get(entryId);
    if (known !== undefined) return Effect.succeed(known);
    return ledger.entries({ entryId }).pipe(
      Effect.map(([entry]) => entry),
      Effect.catch(() => Effect.succeed(undefined)),
    );
  };

  const tell = (closing: Closing) =>
    Effect.gen(function* () {
      const parties = yield* partiesOf(closing.entryId);
      under.delete(closing.entryId);
      if (parties === undefined) return;
      yield* Effect.suspend(() => audit.record(toRecord(parties, closing, masking))).pipe(
        Effect.interruptible,
        Effect.timeout(withinMs),
      );
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning(`The audit of call "${closing.entryId}" failed: ${Cause.pretty(cause)}`),
      ),
    );

  return {
    ...restOf(ledger),
    open: (opening) =>
      Effect.tap(ledger.open(opening), () =>
        Effect.sync(() => {
          const { input, inputHash, ...parties } = opening;
          under.set(opening.entryId, parties);
        }),
      ),
    close: (closing) => {
      const closed = ledger.close(closing);
      // What waits for a person or for its orchestrator is closed once more.
      return closing.ending === "pending" || closing.ending === "hydrated"
        ? closed
        : Effect.tap(closed, () => tell(closing));
    },
  };
};

/** Bound one by one, because a store may be an instance of a class. */
const restOf = (ledger: LedgerStore): Omit<LedgerStore, "open" | "close"> => {
  const { approvals, runs } = ledger;
  return {
    entries: ledger.entries.bind(ledger),
    ...(ledger.intend && { intend: ledger.intend.bind(ledger) }),
    ...(ledger.reserve && { reserve: ledger.reserve.bind(ledger) }),
    ...(ledger.recall && { recall: ledger.recall.bind(ledger) }),
    ...(approvals && { approvals }),
    ...(runs && { runs }),
    ...(ledger.alsoMask && { alsoMask: ledger.alsoMask.bind(ledger) }),
    ...(ledger.end && { end: ledger.end.bind(ledger) }),
  };
};

const toRecord = (parties: Parties, closing: Closing, { text }: Masking): AuditRecord => {
  const { entryId, callId, runId, agent, session, user, tenant, correlationId, at } = parties;
  const { code, message, decision, ruleIds, durationMs, cost } = closing;
  return Object.freeze({
    entryId,
    callId,
    runId,
    tool: closing.tool ?? parties.tool,
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
