import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ApprovalQuery, ApprovalRecord } from "../words/approval.ts";
import type { LedgerError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import { actingFor, type Principal } from "../words/principal.ts";
import type { GivenUp, RunQuery, RunSummary } from "../words/run-book.ts";

/** What is another caller's does not exist. */
export const askedOf = (
  { approvals }: LedgerStore,
  principal: Principal | undefined,
  query: ApprovalQuery | undefined,
): Effect.Effect<readonly ApprovalRecord[], LedgerError> =>
  approvals === undefined ? none : Effect.map(approvals.list(query), ownOf(principal));

export const runsOf = (
  { runs }: LedgerStore,
  principal: Principal | undefined,
  query: RunQuery | undefined,
): Effect.Effect<readonly RunSummary[], LedgerError> =>
  runs === undefined ? none : Effect.map(runs.list(query), ownOf(principal));

/** To anybody but its own caller a run does not exist. */
export const giveUpRun = (
  { runs }: LedgerStore,
  principal: Principal | undefined,
  runId: string,
  by: string | undefined,
): Effect.Effect<GivenUp, LedgerError> =>
  Effect.gen(function* () {
    const found = runs === undefined ? undefined : yield* runs.find(runId);
    if (runs === undefined || found === undefined || ownOf(principal)([found]).length === 0) return "unknown";
    const clock = yield* Clock.Clock;
    return yield* runs.giveUp(runId, by ?? principal?.agent, clock.currentTimeMillisUnsafe());
  });

const none = Effect.succeed([]);

const ownOf =
  (principal: Principal | undefined) =>
  <A extends { readonly principal: Principal | undefined }>(all: readonly A[]): readonly A[] =>
    all.filter(
      (each) =>
        principal !== undefined &&
        each.principal !== undefined &&
        actingFor(each.principal, principal) !== undefined,
    );
