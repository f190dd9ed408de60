import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import type { Redactor } from "../../base/json/redact.ts";
import { toRecordedOutcome } from "../../pipeline/idempotency.ts";
import { toReply } from "../../pipeline/pipeline.ts";
import { callCancelledError } from "../../runtime/runtime-errors.ts";
import type { SharedRuntime } from "../../runtime/shared-runtime.ts";
import { ToolError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import type { EntryTexts, LedgerEntry } from "../../types/ledger.ts";
import { failed } from "../../types/outcome.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import type { Reply } from "../../types/reply.ts";

type RecordMasking = Pick<Redactor, "text" | "value">;

/** With the text of stage 8: clients read no more of a failure than models. */
export const failedReply = (
  request: Pick<Reply, "id" | "tool">,
  cause: Cause.Cause<unknown>,
  masking: RecordMasking,
): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause)
      ? error.failure
      : callCancelledError(request.tool).failure;
  return toReply(request, failed(failure), "", masking);
};

/** Only durable ledgers can have answers from other processes. */
export const approvalAnsweredCheck = ({
  approvals,
}: Pick<SharedRuntime["ledger"], "approvals">): ((approvalId: string) => Promise<boolean>) | undefined =>
  approvals?.isDurable === true
    ? async (approvalId) => {
        const record = await Effect.runPromise(approvals.find(approvalId));
        return record !== undefined && record.status !== "waiting";
      }
    : undefined;

export type RecordedCall =
  | { readonly kind: "none" | "open" }
  | { readonly kind: "over"; readonly reply: Reply };

/** Never runs the call, but resumes it if its approval was answered. */
export const findRecordedCall =
  ({ ledger, tools }: Pick<SharedRuntime, "ledger" | "tools">, masking: RecordMasking) =>
  async (callId: string, principal: Principal): Promise<RecordedCall> => {
    const entries = await Effect.runPromise(ledger.entries({ callId }));
    const entry = entries.findLast((each) => isEntryOfCaller(each, principal));
    if (entry === undefined) return { kind: "none" };
    const { ending, entryId, runId, tool } = entry;
    if (ending === "open") return { kind: "open" };
    const request = { id: callId, tool };
    if (ending === "pending") {
      const all = (await Effect.runPromise(ledger.approvals?.list({ runId }) ?? Effect.succeed([]))) ?? [];
      const approval = all.findLast((each) => each.entryId === entryId);
      if (approval === undefined) return { kind: "none" };
      const resumed = tools.askAgain({ id: approval.id, callId, tool }, { principal });
      const exit = await Effect.runPromiseExit(resumed);
      const reply = exit._tag === "Success" ? exit.value.reply : failedReply(request, exit.cause, masking);
      return { kind: "over", reply };
    }
    const plainReply: EntryTexts = { entry, input: undefined, result: entry.result };
    const kept = ledger.recall === undefined ? plainReply : await Effect.runPromise(ledger.recall(entryId));
    const outcome = toRecordedOutcome(kept ?? plainReply, ledger);
    if (outcome === undefined) return { kind: "open" };
    return { kind: "over", reply: toReply(request, outcome, kept?.result ?? "", masking, entry.taints) };
  };

const isEntryOfCaller = ({ agent, session, user, tenant }: LedgerEntry, principal: Principal): boolean => {
  const caller = callerIdentityOf(principal);
  return (
    agent === caller.agent && session === caller.session && user === caller.user && tenant === caller.tenant
  );
};
