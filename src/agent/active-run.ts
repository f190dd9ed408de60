import type * as Effect from "effect/Effect";
import type { Agent, AgentEvent } from "../words/agent.ts";
import type { RawCall, RunScope } from "../words/call.ts";
import type { ToolError } from "../words/errors.ts";
import type { Message } from "../words/message.ts";
import type { Model } from "../words/model.ts";
import type { Reply } from "../words/reply.ts";
import type { RunRecord } from "../words/run-book.ts";
import type { AnswerQuestion } from "./answer/answer-question.ts";
import type { BoundTools } from "./bind-tools.ts";
import type { ChatTurn } from "./chat-turn.ts";
import type { RunKeeper } from "./keep-run.ts";
import type { WantedAnswer } from "./last-word.ts";
import type { ModelAnswer } from "./model-answer.ts";
import type { ModelListener } from "./model-call.ts";
import type { StopPolicy } from "./stop.ts";

/** What a run needs of the runtime it runs in. */
export interface RunServices {
  readonly ask: (question: AskedModel) => Effect.Effect<ModelAnswer>;
  readonly turn: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  /** The same for calls that an earlier process may have made. */
  readonly recover: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  readonly bind: (
    agent: Agent,
    model: Model,
    messages: readonly Message[],
  ) => Effect.Effect<BoundTools, ToolError>;
  readonly modelOf: (agent: Agent) => Effect.Effect<Model, ToolError>;
  readonly newCallId: () => string;
}

/** One turn of one agent. */
export interface AgentTurn {
  readonly agent: Agent;
  readonly tools: BoundTools;
  readonly model: Model;
  readonly signal: AbortSignal;
}

export interface AskedModel extends AgentTurn {
  readonly messages: readonly Message[];
  readonly listener: ModelListener | undefined;
  /** How it is asked where its answer must have a form. */
  readonly answer: AnswerQuestion | undefined;
}

export interface Running {
  readonly services: RunServices;
  readonly scope: RunScope;
  readonly agent: Agent;
  /** The conversation so far, the new input included. */
  readonly messages: readonly Message[];
  /** What the run must answer with; text where it is nothing. */
  readonly wanted: WantedAnswer | undefined;
  readonly stop: readonly StopPolicy[];
  readonly signal: AbortSignal;
  /** Why the signal was aborted, if it was not the caller. */
  readonly stoppedBecause: () => string | undefined;
  /** Hears the run as it goes; without it nothing is streamed. */
  readonly tell: ((event: AgentEvent) => void) | undefined;
  /** Writes the run down as it goes on. */
  readonly keeper: RunKeeper | undefined;
  /** How far the run had come when it was left. */
  readonly before: RunRecord | undefined;
  /** The run is a chat, and this is one answer of it. */
  readonly chat?: ChatTurn | undefined;
  /** Whoever started it tries it again if it fails: a call that the ledger kept from being made is then no answer. */
  readonly isTriedAgain?: boolean | undefined;
  /** The agent of a name, among those the run may have been handed to. */
  readonly agentOf: (name: string) => Agent | undefined;
}
