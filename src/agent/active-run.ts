import type * as Effect from "effect/Effect";
import type { Agent, AgentEvent } from "../types/agent.ts";
import type { RawCall, RunScope } from "../types/call.ts";
import type { ToolError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { Model } from "../types/model.ts";
import type { Reply } from "../types/reply.ts";
import type { RunRecord } from "../types/run-store.ts";
import type { AnswerRequest } from "./answer/answer-request.ts";
import type { TurnTools } from "./bind-agent.ts";
import type { ChatTurn } from "./chat-turn.ts";
import type { ExpectedAnswer } from "./end-with-reply.ts";
import type { ModelCallResult } from "./model-call-result.ts";
import type { ModelListener } from "./model-caller.ts";
import type { RunWriter } from "./run-writer.ts";
import type { StopPolicy } from "./stop-policies.ts";

/** What a run needs of the runtime it runs in. */
export interface RunServices {
  readonly ask: (question: ModelTurn) => Effect.Effect<ModelCallResult>;
  readonly turn: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  /** The same for calls that an earlier process may have made. */
  readonly recover: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  readonly bind: (
    agent: Agent,
    model: Model,
    messages: readonly Message[],
  ) => Effect.Effect<TurnTools, ToolError>;
  readonly modelOf: (agent: Agent) => Effect.Effect<Model, ToolError>;
  readonly newCallId: () => string;
}

/** One turn of one agent. */
export interface AgentTurn {
  readonly agent: Agent;
  readonly tools: TurnTools;
  readonly model: Model;
  readonly signal: AbortSignal;
}

export interface ModelTurn extends AgentTurn {
  readonly messages: readonly Message[];
  readonly listener: ModelListener | undefined;
  /** How it is asked where its answer must have a form. */
  readonly answer: AnswerRequest | undefined;
}

export interface ActiveRun {
  readonly services: RunServices;
  readonly scope: RunScope;
  readonly agent: Agent;
  /** The conversation so far, the new input included. */
  readonly messages: readonly Message[];
  /** What the run must answer with; text where it is nothing. */
  readonly wanted: ExpectedAnswer | undefined;
  readonly stop: readonly StopPolicy[];
  readonly signal: AbortSignal;
  /** Why the signal was aborted, if it was not the caller. */
  readonly stoppedBecause: () => string | undefined;
  /** Hears the run as it goes; without it nothing is streamed. */
  readonly tell: ((event: AgentEvent) => void) | undefined;
  /** Writes the run down as it goes on. */
  readonly keeper: RunWriter | undefined;
  /** How far the run had come when it was left. */
  readonly before: RunRecord | undefined;
  /** The run is a chat, and this is one answer of it. */
  readonly chat?: ChatTurn | undefined;
  /** Whoever started it tries it again if it fails: a call that the ledger kept from being made is then no answer. */
  readonly isTriedAgain?: boolean | undefined;
  /** The agent of a name, among those the run may have been handed to. */
  readonly agentOf: (name: string) => Agent | undefined;
}
