import type * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import type { ToolError } from "../../types/errors.ts";
import type { Message } from "../../types/message.ts";
import type { Reply } from "../../types/reply.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { endSession } from "./end-session.ts";
import { liveSession } from "./live-sessions.ts";
import { recordSessionMessages } from "./record-session-messages.ts";
import { answerSessionApproval, openSessionApprovals } from "./session-approvals.ts";
import { type SessionModel, type SessionModelOptions, sessionModel } from "./session-model.ts";
import type { ParsedSessionOptions } from "./session-options.ts";
import {
  executeSessionTurn,
  readSessionCallStatus,
  requestCallApproval,
  type SessionCallStatus,
  type SessionTurnOptions,
} from "./session-turn.ts";

export interface SessionDriver {
  readonly turn: (calls: readonly RawCall[], options: SessionTurnOptions) => Effect.Effect<readonly Reply[]>;
  readonly asks: (call: RawCall) => Effect.Effect<ApprovalRequest | undefined, ToolError>;
  readonly stands: (call: RawCall) => Effect.Effect<SessionCallStatus, ToolError>;
  readonly answer: (
    approvalId: string,
    decision: ApprovalDecision,
    by: string | undefined,
  ) => Effect.Effect<Reply, ToolError>;
  readonly model: (id: string, options: SessionModelOptions) => SessionModel;
  readonly note: (messages: readonly Message[]) => Effect.Effect<void, ToolError>;
  readonly pending: () => Effect.Effect<readonly ApprovalRecord[], ToolError>;
  readonly end: () => Effect.Effect<void, ToolError>;
}

export const sessionDriver = (shared: SharedRuntime, session: ParsedSessionOptions): SessionDriver => {
  // Looked up each time, because idle sessions may be evicted.
  const live = () => liveSession(shared, session);
  return {
    turn: (calls, options) => executeSessionTurn(shared, session, live(), calls, options),
    asks: (call) => requestCallApproval(shared, session, live(), call),
    stands: (call) => readSessionCallStatus(shared, session, call),
    answer: (approvalId, decision, by) =>
      answerSessionApproval(shared, session, live(), approvalId, decision, by),
    model: (id, options) => sessionModel(shared, session, id, options),
    note: (messages) => recordSessionMessages(shared, session, live(), messages),
    pending: () => openSessionApprovals(shared, session),
    end: () => endSession(shared, session, live()),
  };
};
