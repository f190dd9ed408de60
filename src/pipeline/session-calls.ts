import * as Effect from "effect/Effect";
import { type ApprovalDesk, type ApprovalRequest, Approver } from "../words/approval.ts";
import type { CallRequest, RunningCall } from "../words/call.ts";
import type { LedgerError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { Reply } from "../words/reply.ts";
import type { ToolCorridor } from "./corridor.ts";
import { type RawTurnOptions, turn } from "./turn.ts";

/** Calls of one message of somebody else's loop. What it asked for before is told again; `isNew` says that it cannot have. */
export const sessionTurn = (
  corridor: ToolCorridor,
  requests: readonly CallRequest[],
  isNew: boolean,
  options: RawTurnOptions,
): Effect.Effect<readonly Reply[]> =>
  leavingQuestions(turn(isNew ? corridor : { ...corridor, call: corridor.again }, requests, options));

/** The question that must be answered before a call runs: found, or put on record now. Nothing runs. */
export const sessionQuestion = (
  corridor: ToolCorridor,
  request: CallRequest,
  isNew: boolean,
  parent: RunningCall | undefined,
): Effect.Effect<ApprovalRequest | undefined, LedgerError> =>
  Effect.gen(function* () {
    const earlier = isNew ? notMade : yield* corridor.earlier(request);
    if (earlier.kind === "waiting") return earlier.approval;
    if (earlier.kind === "settled" || !(yield* corridor.wouldAsk(request))) return undefined;
    const { pending } = yield* leavingQuestions(corridor.askOnly(request, { parent }));
    return pending;
  });

const notMade = { kind: "none" } as const;

/** Seen, and told why they are not made. */
export const declineAll = (
  corridor: ToolCorridor,
  requests: readonly CallRequest[],
  failure: Pick<Failure, "code" | "message">,
  parent: RunningCall | undefined,
): Effect.Effect<readonly Reply[]> =>
  Effect.forEach(requests, (request) =>
    corridor.decline(request, { ...failure, tool: request.raw.tool }, { parent }),
  );

/** Where nobody is at hand who could answer, a question of a session waits, even if its ledger ends with the process. */
const leavingQuestions = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Approver) === undefined ? Effect.provideService(work, Approver, answersLater) : work,
  );

const answersLater: ApprovalDesk = { ask: () => Effect.succeed(undefined) };
