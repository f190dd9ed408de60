import type * as Effect from "effect/Effect";
import type { Agent, AgentEvent } from "../types/agent.ts";
import type { RawCall, RunScope } from "../types/call.ts";
import type { ToolError } from "../types/errors.ts";
import type { RunPlan } from "../types/lineage.ts";
import type { Message } from "../types/message.ts";
import type { Model } from "../types/model.ts";
import type { Reply } from "../types/outcome.ts";
import type { RunRecord } from "../types/run-store.ts";
import type { AnswerRequest } from "./answer-request.ts";
import type { TurnTools } from "./bind-agent.ts";
import type { RunWriter } from "./claim-run.ts";
import type { ModelCallResult } from "./model-call-result.ts";
import type { ModelListener } from "./model-caller.ts";
import type { ChatTurn } from "./read-run.ts";
import type { ExpectedAnswer } from "./run-progress.ts";
import type { StopPolicy } from "./stop-policies.ts";

export interface RunServices {
  readonly ask: (question: ModelTurn) => Effect.Effect<ModelCallResult>;
  readonly turn: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  readonly recover: (calls: readonly RawCall[], step: AgentTurn) => Effect.Effect<readonly Reply[]>;
  readonly bind: (
    agent: Agent,
    model: Model,
    messages: readonly Message[],
  ) => Effect.Effect<TurnTools, ToolError>;
  readonly modelOf: (agent: Agent) => Effect.Effect<Model, ToolError>;
  readonly newCallId: () => string;
  readonly plansRuns: boolean;
  readonly recordPlan: (plan: RunPlan) => Effect.Effect<void, ToolError>;
}

export interface AgentTurn {
  readonly agent: Agent;
  readonly tools: TurnTools;
  readonly model: Model;
  readonly signal: AbortSignal;
}

export interface ModelTurn extends AgentTurn {
  readonly messages: readonly Message[];
  readonly listener: ModelListener | undefined;
  readonly answer: AnswerRequest | undefined;
}

export interface ActiveRun {
  readonly services: RunServices;
  readonly scope: RunScope;
  readonly agent: Agent;
  readonly messages: readonly Message[];
  readonly expectedAnswer: ExpectedAnswer | undefined;
  readonly stop: readonly StopPolicy[];
  readonly signal: AbortSignal;
  /** Why the signal was aborted, unless by the caller. */
  readonly stopReason: () => string | undefined;
  readonly emit: ((event: AgentEvent) => void) | undefined;
  readonly runWriter: RunWriter | undefined;
  readonly record: RunRecord | undefined;
  /** Set if the run is a chat; this is one answer of it. */
  readonly chat?: ChatTurn | undefined;
  /**
   * The starter retries failed runs, so a call that the ledger could not record fails the run instead of
   * becoming a reply.
   */
  readonly isTriedAgain?: boolean | undefined;
  readonly agentOf: (name: string) => Agent | undefined;
}
