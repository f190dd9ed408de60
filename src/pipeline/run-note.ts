import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Principal } from "../types/principal.ts";

/** What a run or a session records besides calls. Tool names contain no colon. */
export type RunNoteName = "session:note" | "run:plan";

export interface RunNote {
  readonly name: RunNoteName;
  readonly entryId: string;
  readonly runId: string;
  readonly epoch: number | undefined;
  readonly principal: Principal | undefined;
  readonly session?: string | undefined;
  readonly input: unknown;
  readonly taints?: readonly string[];
}

/** Written as an entry, so that processes that resume the run read it. */
export const writeRunNote = (ledger: LedgerStore, note: RunNote): Effect.Effect<void, LedgerError> =>
  Effect.gen(function* () {
    const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
    const { name: tool, entryId, runId, epoch, principal, session, input, taints = [] } = note;
    const { agent, user, tenant } = principal ?? {};
    yield* ledger.open({
      entryId,
      callId: entryId,
      runId,
      tool,
      input: JSON.stringify(input),
      agent,
      session,
      user,
      tenant,
      correlationId: undefined,
      epoch,
      at,
    });
    yield* ledger.close({
      entryId,
      ending: "executed",
      tool,
      code: undefined,
      message: undefined,
      decision: undefined,
      flow: "continue",
      result: "null",
      original: undefined,
      notes: [],
      durationMs: 0,
      taints,
      ran: false,
      epoch,
    });
  });
