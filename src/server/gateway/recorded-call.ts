import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { toReply } from "../call/corridor.ts";
import { outcomeOf } from "../call/idempotency.ts";
import type { Redactor } from "../json/redact.ts";
import { cancelled } from "../runtime/cancelled.ts";
import type { Shared } from "../runtime/shared.ts";
import { ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { LedgerEntry, Recalled } from "../words/ledger.ts";
import { failed } from "../words/outcome.ts";
import { type Principal, partyOf } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";

type Masking = Pick<Redactor, "text" | "value">;

/** In the words of stage 8, like any reply: a client reads no more of a failure than a model may. */
export const refusedReply = (
  asked: Pick<Reply, "id" | "tool">,
  cause: Cause.Cause<unknown>,
  masking: Masking,
): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause) ? error.failure : cancelled(asked.tool).failure;
  return toReply(asked, failed(failure), "", masking);
};

/** Only a durable ledger can have an answer that was given elsewhere. */
export const isAnsweredIn = ({
  approvals,
}: Pick<Shared["ledger"], "approvals">): ((approvalId: string) => Promise<boolean>) | undefined =>
  approvals?.isDurable === true
    ? async (approvalId) => {
        const record = await Effect.runPromise(approvals.find(approvalId));
        return record !== undefined && record.status !== "waiting";
      }
    : undefined;

/** A call that the gateway which made it cannot tell of any more, as the ledger has it. */
export type RecordedCall =
  | { readonly kind: "none" | "open" }
  | { readonly kind: "over"; readonly reply: Reply };

/** What came of a caller's call, told from the ledger. Nothing is made: one that waits goes on if it was answered. */
export const recordedCall =
  ({ ledger, tools }: Pick<Shared, "ledger" | "tools">, masking: Masking) =>
  async (callId: string, principal: Principal): Promise<RecordedCall> => {
    const entries = await Effect.runPromise(ledger.entries({ callId }));
    const entry = entries.findLast((each) => isOf(each, principal));
    if (entry === undefined) return { kind: "none" };
    const { ending, entryId, runId, tool } = entry;
    if (ending === "open") return { kind: "open" };
    const asked = { id: callId, tool };
    if (ending === "pending") {
      const all = (await Effect.runPromise(ledger.approvals?.list({ runId }) ?? Effect.succeed([]))) ?? [];
      const approval = all.findLast((each) => each.entryId === entryId);
      if (approval === undefined) return { kind: "none" };
      const again = tools.askAgain({ id: approval.id, callId, tool }, { principal });
      const exit = await Effect.runPromiseExit(again);
      const reply = exit._tag === "Success" ? exit.value.reply : refusedReply(asked, exit.cause, masking);
      return { kind: "over", reply };
    }
    const bare: Recalled = { entry, input: undefined, result: entry.result };
    const kept = ledger.recall === undefined ? bare : await Effect.runPromise(ledger.recall(entryId));
    const outcome = outcomeOf(kept ?? bare);
    if (outcome === undefined) return { kind: "open" };
    return { kind: "over", reply: toReply(asked, outcome, kept?.result ?? "", masking, entry.taints) };
  };

const isOf = ({ agent, session, user, tenant }: LedgerEntry, principal: Principal): boolean => {
  const party = partyOf(principal);
  return agent === party.agent && session === party.session && user === party.user && tenant === party.tenant;
};
