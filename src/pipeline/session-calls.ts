import * as Effect from "effect/Effect";
import { type ApprovalRequest, Approver, type ApproverService } from "../types/approval.ts";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { Reply } from "../types/reply.ts";
import type { ToolPipeline } from "./pipeline.ts";
import { type PipelineTurnOptions, runTurn } from "./turn.ts";

/** Calls of one message of somebody else's loop. What it asked for before is told again; `isNew` says that it cannot have. */
export const runSessionTurn = (
  pipeline: ToolPipeline,
  requests: readonly CallRequest[],
  isNew: boolean,
  options: PipelineTurnOptions,
): Effect.Effect<readonly Reply[]> =>
  withDeferredApprover(runTurn(isNew ? pipeline : { ...pipeline, call: pipeline.again }, requests, options));

/** The question that must be answered before a call runs: found, or put on record now. Nothing runs. */
export const requestSessionApproval = (
  pipeline: ToolPipeline,
  request: CallRequest,
  isNew: boolean,
  parent: RunningCall | undefined,
): Effect.Effect<ApprovalRequest | undefined, LedgerError> =>
  Effect.gen(function* () {
    const priorCall = isNew ? noPriorCall : yield* pipeline.earlier(request);
    if (priorCall.kind === "waiting") return priorCall.approval;
    if (priorCall.kind === "settled" || !(yield* pipeline.wouldAsk(request))) return undefined;
    const { pending } = yield* withDeferredApprover(pipeline.askOnly(request, { parent }));
    return pending;
  });

const noPriorCall = { kind: "none" } as const;

/** Seen, and told why they are not made. */
export const declineCalls = (
  pipeline: ToolPipeline,
  requests: readonly CallRequest[],
  failure: Pick<Failure, "code" | "message">,
  parent: RunningCall | undefined,
): Effect.Effect<readonly Reply[]> =>
  Effect.forEach(requests, (request) =>
    pipeline.decline(request, { ...failure, tool: request.raw.tool }, { parent }),
  );

/** Where nobody is at hand who could answer, a question of a session waits, even if its ledger ends with the process. */
const withDeferredApprover = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Approver) === undefined ? Effect.provideService(work, Approver, deferredApprover) : work,
  );

const deferredApprover: ApproverService = { ask: () => Effect.succeed(undefined) };
