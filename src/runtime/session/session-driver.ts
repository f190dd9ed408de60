import type * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord, ApprovalRequest } from "../../words/approval.ts";
import type { RawCall } from "../../words/call.ts";
import type { ToolError } from "../../words/errors.ts";
import type { Message } from "../../words/message.ts";
import type { Reply } from "../../words/reply.ts";
import type { Shared } from "../shared.ts";
import { endSession } from "./end-session.ts";
import { liveSession } from "./live-sessions.ts";
import { type SessionModel, type SessionModelOptions, sessionModel } from "./session-model.ts";
import { noteMessages } from "./session-notes.ts";
import type { ReadSession } from "./session-options.ts";
import { answerTo, openQuestions } from "./session-questions.ts";
import {
  type CallStanding,
  questionOf,
  type SessionTurnOptions,
  standingOf,
  turnOf,
} from "./session-turn.ts";

/** What a session does, as Effects. Loaded with the first turn: whoever drives no session needs none of it. */
export interface SessionDriver {
  readonly turn: (calls: readonly RawCall[], options: SessionTurnOptions) => Effect.Effect<readonly Reply[]>;
  readonly asks: (call: RawCall) => Effect.Effect<ApprovalRequest | undefined, ToolError>;
  readonly stands: (call: RawCall) => Effect.Effect<CallStanding, ToolError>;
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

export const sessionDriver = (shared: Shared, session: ReadSession): SessionDriver => {
  // Looked up each time: one that was idle for long may have been forgotten meanwhile.
  const live = () => liveSession(shared, session);
  return {
    turn: (calls, options) => turnOf(shared, session, live(), calls, options),
    asks: (call) => questionOf(shared, session, live(), call),
    stands: (call) => standingOf(shared, session, call),
    answer: (approvalId, decision, by) => answerTo(shared, session, live(), approvalId, decision, by),
    model: (id, options) => sessionModel(shared, session, id, options),
    note: (messages) => noteMessages(shared, session, live(), messages),
    pending: () => openQuestions(shared, session),
    end: () => endSession(shared, session, live()),
  };
};
