import * as Effect from "effect/Effect";
import { type ApprovalRequest, Approver, type ApproverService } from "../types/approval.ts";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { Reply } from "../types/outcome.ts";
import type { ToolPipeline } from "./pipeline.ts";
import { type PipelineTurnOptions, runTurn } from "./turn.ts";

/** Repeated calls are replayed; `isNew` skips the lookup. */
export const runSessionTurn = (
  pipeline: ToolPipeline,
  requests: readonly CallRequest[],
  isNew: boolean,
  options: PipelineTurnOptions,
): Effect.Effect<readonly Reply[]> =>
  withDeferredApprover(runTurn(isNew ? pipeline : { ...pipeline, call: pipeline.again }, requests, options));

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

export const declineCalls = (
  pipeline: ToolPipeline,
  requests: readonly CallRequest[],
  failure: Pick<Failure, "code" | "message">,
  parent: RunningCall | undefined,
): Effect.Effect<readonly Reply[]> =>
  Effect.forEach(requests, (request) =>
    pipeline.decline(request, { ...failure, tool: request.raw.tool }, { parent }),
  );

/** Without an approver, calls of a session become pending even if the ledger is not durable. */
const withDeferredApprover = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Approver) === undefined ? Effect.provideService(work, Approver, deferredApprover) : work,
  );

const deferredApprover: ApproverService = { ask: () => Effect.succeed(undefined) };
