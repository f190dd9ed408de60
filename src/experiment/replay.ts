import * as Effect from "effect/Effect";
import type { RawCall } from "../words/call.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { RepairMode } from "../words/hydration.ts";
import type { AnyLayer, Handler } from "../words/layer.ts";
import type { Message, ToolMessage } from "../words/message.ts";
import { failed } from "../words/outcome.ts";
import type { Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { RunRecord } from "../words/run-book.ts";
import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import { type CallComparison, compareCall, notRun, type ReplayStatus } from "./replay/compare-call.ts";

export { notAsked } from "./replay/compare-call.ts";

/** What a replay needs of a runtime; a `Haft` that was opened with the changed tools is one. */
export interface ReplayRuntime {
  turn(
    calls: readonly RawCall[],
    options?: {
      readonly layers?: readonly AnyLayer[];
      readonly principal?: Principal;
      readonly repair?: RepairMode;
      readonly correlationId?: string;
    },
  ): Promise<readonly Reply[]>;
}

/** Which run `replayRun` makes again, with which runtime, and which tools' code may run. */
export interface ReplayOptions {
  readonly run: RunRecord;
  readonly haft: ReplayRuntime;
  /** In whose name; the runtime's own caller unless named. */
  readonly principal?: Principal | undefined;
  /** Which tools' code runs: those that only read unless named. What is held back is still held against its spec and policy. */
  readonly execute?: "read-only" | "all" | "none";
  /** As the run was allowed to repair arguments. */
  readonly repair?: RepairMode;
}

/** One call of a recorded run, with what the model was told then and would be told now. */
export interface ReplayedCall extends CallComparison {
  readonly callId: string;
  /** As the model wrote it. */
  readonly tool: string;
  readonly agent: string | undefined;
  /** What the model was told then. */
  readonly before: string | undefined;
}

/** What `replayRun` found: each call of a recorded run, and how many of them would differ. */
export interface Replay {
  readonly runId: string;
  /** In the order of the conversation. */
  readonly calls: readonly ReplayedCall[];
  readonly summary: Readonly<Record<ReplayStatus, number>> & { readonly total: number };
}

/**
 * Makes a recorded run's calls again, one after the other down the corridor, and says what its model would be told
 * that is different. No model is asked, so each call is made as it was then, whatever came of those before it.
 */
export const replayRun = async (options: ReplayOptions): Promise<Replay> => {
  const { run, execute = "read-only" } = options;
  if (!modes.includes(execute)) throw refused(`\`execute\` is one of ${modes.join(", ")}.`);
  if (run.messages.length === 0 && run.turns > 0) {
    throw refused(`The conversation of the run "${run.runId}" is no longer kept, so it cannot be replayed.`);
  }
  const calls: ReplayedCall[] = [];
  for (const recorded of recordedCalls(run.messages, run.given)) {
    const compared = await replayCall(recorded, options, execute);
    const { call, agent, answer } = recorded;
    calls.push(
      Object.freeze({ callId: call.id, tool: call.tool, agent, before: answer?.content, ...compared }),
    );
  }
  return Object.freeze({ runId: run.runId, calls: Object.freeze(calls), summary: toSummary(calls) });
};

const replayCall = async (
  { call, answer }: RecordedCall,
  { run, haft, principal, repair }: ReplayOptions,
  execute: ReplayMode,
): Promise<CallComparison> => {
  if (answer === undefined) return notRun("the run has no answer to compare with");
  if (answer.pending !== undefined) return notRun("it was waiting for a person then");
  if (neverStarted.test(answer.content)) return notRun("it was not started then either");
  let isHeld = false;
  const hold = holdBack(mayRun[execute], () => {
    isHeld = true;
  });
  const [reply] = await haft.turn([call], {
    layers: [hold],
    correlationId: `replay of ${run.runId}`,
    ...(principal === undefined ? {} : { principal }),
    ...(repair === undefined ? {} : { repair }),
  });
  if (reply === undefined) return notRun("the runtime gave no reply");
  return compareCall(answer, reply, isHeld ? whyHeld[execute] : undefined);
};

/** Stands behind authorization: what comes here was let through, and goes on only if its code may run. */
const holdBack = (isRunnable: (spec: ToolSpec) => boolean, onHeld: () => void): AnyLayer =>
  Object.assign(
    (next: Handler): Handler =>
      (call) => {
        if (isRunnable(call.spec)) return next(call);
        return Effect.sync(() => {
          onHeld();
          const message = `The tool "${call.registration.key}" was not run: this is a replay.`;
          return failed({ code: "not_answered", tool: call.registration.key, ran: false, message });
        });
      },
    { label: "replay" },
  );

const modes = ["read-only", "all", "none"] as const;
type ReplayMode = (typeof modes)[number];

const mayRun: Readonly<Record<ReplayMode, (spec: ToolSpec) => boolean>> = {
  "read-only": isReadOnly,
  all: () => true,
  none: () => false,
};

const whyHeld: Readonly<Record<ReplayMode, string | undefined>> = {
  "read-only": "the tool may write, and the replay was not told to run it",
  all: undefined,
  none: "it was not run: --execute none",
};

/** What a turn says of calls that it had to answer without starting them. */
const neverStarted = /^Error: (?:Another call of this turn |The turn was cancelled before )/;

const toSummary = (calls: readonly ReplayedCall[]): Replay["summary"] => {
  const count = { same: 0, different: 0, refused: 0, "not-run": 0, gone: 0 };
  for (const { status } of calls) count[status] += 1;
  return Object.freeze({ total: calls.length, ...count });
};

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);

/** A call as a run made it, and what its model was told. */
interface RecordedCall {
  readonly call: RawCall;
  readonly agent: string | undefined;
  /** Missing where the process died before there was an answer. */
  readonly answer: ToolMessage | undefined;
}

/**
 * The calls that a run made itself, in the order of its conversation. What it was given to go on with was called by
 * others, and what the provider ran was never ours.
 */
const recordedCalls = (messages: readonly Message[], given: number): readonly RecordedCall[] => {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool") answers.set(message.callId, message);
  return messages.slice(given).flatMap((message): readonly RecordedCall[] => {
    if (message.role !== "assistant") return [];
    return (message.calls ?? [])
      .filter((call) => call.providerExecuted !== true && call.repeats === undefined)
      .map((call) => ({ call, agent: message.agent, answer: answers.get(call.id) }));
  });
};
