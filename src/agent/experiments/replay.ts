import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { canonicalJson } from "../../base/json/canonical-json.ts";
import { readJson } from "../../base/json/read-json.ts";
import { textDiff } from "../../base/text/line-diff.ts";
import { addRunTaints, countCall, RunRecorder } from "../../pipeline/recorder.ts";
import { collectConversationTaints } from "../../policy/taint.ts";
import type { RawCall, RunScope } from "../../types/call.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { type Failure, stageOf } from "../../types/failure.ts";
import type { FailureCode, Stage } from "../../types/failures.ts";
import type { RepairMode } from "../../types/hydration.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import { failed, type Reply } from "../../types/outcome.ts";
import type { Principal } from "../../types/principal.ts";
import type { RunRecord } from "../../types/run-store.ts";
import { type AnyLayer, type Handler, isReadOnly, type ToolSpec } from "../../types/tool.ts";
import { loadToolName, searchToolName } from "../../types/tool-search.ts";

/** The runtime of a replay, such as a `Haft` with the changed tools. */
export interface ReplayRuntime {
  turn(
    calls: readonly RawCall[],
    options?: {
      readonly layers?: readonly AnyLayer[];
      readonly principal?: Principal;
      readonly repair?: RepairMode;
      readonly correlationId?: string;
      /** Shared by all calls of the replay, for counters and taints. */
      readonly scope?: RunScope;
    },
  ): Promise<readonly Reply[]>;
  /** Finds refused calls. Without it they are recognized by their recorded text. */
  log?(query: { readonly runId: string }): Promise<readonly LedgerEntry[]>;
  /** Selects the principal whose calls `log` lists. */
  as?(principal: Principal): Pick<ReplayRuntime, "log">;
}

/** Options of `replayRun`. */
export interface ReplayOptions {
  readonly run: RunRecord;
  readonly haft: ReplayRuntime;
  /** Unless set: the runtime's principal. */
  readonly principal?: Principal | undefined;
  /** Which tools run; calls of others are only validated and authorized. Unless set: `read-only`. */
  readonly execute?: "read-only" | "all" | "none";
  /** Repair mode of the original run. */
  readonly repair?: RepairMode;
}

/**
 * `gone`: the tool no longer exists. `refused`: the call would be refused. `not-run`: the result is unknown,
 * because the call may not run now or did not run originally.
 */
export type ReplayStatus = "same" | "different" | "refused" | "not-run" | "gone";

interface CallComparison {
  readonly status: ReplayStatus;
  readonly after: string | undefined;
  readonly diff: string;
  readonly why?: string;
}

const compareCall = (answer: ToolMessage, reply: Reply, held: string | undefined): CallComparison => {
  if (held !== undefined) return notRunComparison(held);
  const { text, failure } = reply;
  const before = textOf(answer);
  if (isSameText(before, text)) return { status: "same", after: text, diff: "" };
  if (reply.pending !== undefined || failure?.code === "approval_required" || wasReplayAnswer(failure)) {
    return notRunComparison("it requires approval");
  }
  if (failure?.code === "unknown_tool" && isHandoff(answer)) return notRunComparison(handoffReason);
  if (failure !== undefined && runOnlyCodes.has(failure.code) && isSearch(answer))
    return notRunComparison(searchReason);
  const diff = textDiff(toComparableLines(before), toComparableLines(text));
  if (failure === undefined || !earlyStages.has(stageOf(failure)))
    return { status: "different", after: text, diff };
  const status = goneCodes.has(failure.code) ? "gone" : "refused";
  return { status, after: text, diff, why: failure.message };
};

/** Runs of 0.2.0 recorded string results as JSON. */
const textOf = ({ ok, content, isText }: ToolMessage): string => {
  const value = ok && isText !== true && content.startsWith('"') ? readJson(content) : undefined;
  return value?.ok === true && typeof value.value === "string" ? value.value : content;
};

export const replayApprovalAnswer = Object.freeze({
  kind: "deny",
  reason: "a replay does not request approval",
} as const);

const wasReplayAnswer = (failure: Failure | undefined): boolean =>
  failure?.code === "approval_denied" && failure.message.includes(replayApprovalAnswer.reason);

const notRunComparison = (why: string): CallComparison => ({
  status: "not-run",
  after: undefined,
  diff: "",
  why,
});

const earlyStages: ReadonlySet<Stage> = new Set<Stage>(["hydrate", "bind", "authorize"]);
const goneCodes: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "ambiguous_tool"]);

/** Failure codes of tools that exist only inside a run. */
const runOnlyCodes: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "call_over"]);

const handoffReason = "it handed off to another agent, which is not a tool of the runtime";

const searchReason = "it searched the tools of an agent, which only a run of the agent can";

const noSuchTool = /^Error: There is no tool named "[^"]*"\./;

const isHandoff = ({ tool, ok, content }: ToolMessage): boolean =>
  ok && tool.startsWith("handoff_to_") && content.startsWith('{"handoff":');

const isSearch = ({ tool, ok, content }: ToolMessage): boolean =>
  ok &&
  ((tool === searchToolName && content.startsWith('{"tools":')) ||
    (tool === loadToolName && content.startsWith('{"loaded":')));

/** Ignores key order and, for unknown tools, the list of other tools. */
const isSameText = (before: string, after: string): boolean => {
  if (before === after) return true;
  const unknown = noSuchTool.exec(before)?.[0];
  if (unknown !== undefined) return after.startsWith(unknown);
  const [one, other] = [readJson(before), readJson(after)];
  return one.ok && other.ok && canonicalJson(one.value) === canonicalJson(other.value);
};

const toComparableLines = (text: string): string => {
  const reading = readJson(text);
  if (!reading.ok || typeof reading.value !== "object" || reading.value === null) return text;
  return JSON.stringify(JSON.parse(canonicalJson(reading.value)), null, 2);
};

/** A replayed call with its recorded and its new result. */
export interface ReplayedCall extends CallComparison {
  readonly callId: string;
  /** The tool name as the model wrote it. */
  readonly tool: string;
  readonly agent: string | undefined;
  /** Text that the model received originally. */
  readonly before: string | undefined;
}

/** Result of `replayRun`. */
export interface ReplayReport {
  readonly runId: string;
  /** In conversation order. */
  readonly calls: readonly ReplayedCall[];
  readonly summary: Readonly<Record<ReplayStatus, number>> & { readonly total: number };
}

/**
 * Repeats the calls of a recorded run without a model, and compares the results. Calls that were refused
 * originally are never executed, and neither are calls of tools that write if they did not run then.
 */
export const replayRun = async (options: ReplayOptions): Promise<ReplayReport> => {
  const { run, execute = "read-only" } = options;
  if (!replayModes.includes(execute))
    throw invalidConfigError(`\`execute\` must be one of ${replayModes.join(", ")}.`);
  if (run.messages.length === 0 && run.turns > 0) {
    throw invalidConfigError(
      `The conversation of the run "${run.runId}" is no longer stored, so it cannot be replayed.`,
    );
  }
  const calls: ReplayedCall[] = [];
  const tally = new RunRecorder();
  const replaying: ReplayContext = {
    options,
    execute,
    scope: Object.freeze({ id: `replay-${randomUUID()}`, agent: run.agent, tally }),
    entries: await entriesOf(options),
  };
  for (const recorded of recordedCalls(run.messages, run.given)) {
    addRunTaints(tally, recorded.taints);
    const before = tally.calls;
    const compared = await replayCall(recorded, replaying);
    const { call, agent, answer } = recorded;
    if (tally.calls === before && didRunOriginally(recorded, replaying)) countCall(tally, 1);
    calls.push(
      Object.freeze({ callId: call.id, tool: call.tool, agent, before: answer?.content, ...compared }),
    );
  }
  return Object.freeze({ runId: run.runId, calls: Object.freeze(calls), summary: toSummary(calls) });
};

const entriesOf = async ({ run, haft }: ReplayOptions): Promise<readonly LedgerEntry[]> => {
  const own = run.principal === undefined ? undefined : haft.as?.(run.principal);
  return (await (own ?? haft).log?.({ runId: run.runId })) ?? [];
};

interface ReplayContext {
  readonly options: ReplayOptions;
  readonly execute: ReplayMode;
  readonly scope: RunScope;
  readonly entries: readonly LedgerEntry[];
}

const replayCall = async (recorded: RecordedCall, context: ReplayContext): Promise<CallComparison> => {
  const { call, answer } = recorded;
  const { options, execute, scope } = context;
  const { run, haft, principal, repair } = options;
  if (answer === undefined) return notRunComparison("the run has no answer to compare with");
  if (answer.pending !== undefined) return notRunComparison("it was pending approval");
  if (notStartedPattern.test(answer.content))
    return notRunComparison("it was not started in the original run either");
  const wasRefused = isRefusal(recorded, context);
  const calledRefused = hasRefusedInner(recorded, context);
  const ran = didRunOriginally(recorded, context);
  let isHeld = false;
  const canRun = (spec: ToolSpec): boolean =>
    !wasRefused && !calledRefused && (ran || isReadOnly(spec)) && canRunInMode[execute](spec);
  const hold = skipExecutionLayer(canRun, () => {
    isHeld = true;
  });
  const [reply] = await haft.turn([call], {
    layers: [hold],
    correlationId: `replay of ${run.runId}`,
    scope,
    ...(principal === undefined ? {} : { principal }),
    ...(repair === undefined ? {} : { repair }),
  });
  if (reply === undefined) return notRunComparison("the runtime returned no reply");
  const whyNot = wasRefused
    ? "it was refused in the original run, and a replay does not repeat it"
    : calledRefused
      ? "it made a call that was refused in the original run, and a replay does not repeat it"
      : (skipReasonByMode[execute] ?? "it did not run in the original run, and its tool writes");
  return compareCall(answer, reply, isHeld ? whyNot : undefined);
};

const isRefusal = ({ call, answer }: RecordedCall, { entries }: ReplayContext): boolean => {
  const own = entries.filter(({ callId }) => callId === call.id);
  if (own.length === 0) return refusalPattern.test(answer?.content ?? "");
  return own.every(isRefused);
};

/** A nested call that required approval may be recorded as pending, because its code went on without it. */
const isRefused = ({ code, ran, ending }: LedgerEntry): boolean =>
  ran !== true && (ending === "pending" || (code !== undefined && refusalCodes.has(code)));

/** Whether its code made a refused call. Its new calls are unknown before it runs, so it does not run. */
const hasRefusedInner = ({ call }: RecordedCall, { entries }: ReplayContext): boolean => {
  const inside = new Set(entries.filter(({ callId }) => callId === call.id).map(({ entryId }) => entryId));
  const inner = entries.filter(({ entryId, parentId }) => {
    if (parentId === undefined || !inside.has(parentId)) return false;
    inside.add(entryId);
    return true;
  });
  return inner.some(isRefused);
};

const didRunOriginally = ({ call, answer }: RecordedCall, { entries }: ReplayContext): boolean => {
  const own = entries.filter(({ callId }) => callId === call.id);
  return own.length === 0 ? answer?.ok === true : own.some(({ ran }) => ran === true);
};

const refusalCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "unknown_tool",
  "denied",
  "not_visible",
  "approval_required",
  "approval_denied",
  "approval_expired",
  "approval_void",
]);

/** Recognizes refusals by their text if there are no ledger entries, also those of earlier versions. */
const refusalPattern =
  /^Error: (?:You are not allowed to |There is no tool named |The tool "[^"]*" is not available to you|A person must approve |Nobody approved |The (?:approved )?call of "[^"]*" (?:was not approved|requires approval|needs a person|cannot be made any more))/;

/** A layer, so that held calls are still authorized. */
const skipExecutionLayer = (isRunnable: (spec: ToolSpec) => boolean, onHeld: () => void): AnyLayer =>
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

const replayModes = ["read-only", "all", "none"] as const;
type ReplayMode = (typeof replayModes)[number];

const canRunInMode: Readonly<Record<ReplayMode, (spec: ToolSpec) => boolean>> = {
  "read-only": isReadOnly,
  all: () => true,
  none: () => false,
};

const skipReasonByMode: Readonly<Record<ReplayMode, string | undefined>> = {
  "read-only": "the tool may write, and the replay does not run it by default",
  all: undefined,
  none: "it was not run: --execute none",
};

/** Also recognizes the texts of earlier versions. */
const notStartedPattern = /^Error: (?:Another call (?:in|of) this turn |The turn was cancelled before )/;

const toSummary = (calls: readonly ReplayedCall[]): ReplayReport["summary"] => {
  const count = { same: 0, different: 0, refused: 0, "not-run": 0, gone: 0 };
  for (const { status } of calls) count[status] += 1;
  return Object.freeze({ total: calls.length, ...count });
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);

interface RecordedCall {
  readonly taints: readonly string[];
  readonly call: RawCall;
  readonly agent: string | undefined;
  readonly answer: ToolMessage | undefined;
}

/** The run's own calls in conversation order, without calls of its input or of the provider. */
const recordedCalls = (messages: readonly Message[], given: number): readonly RecordedCall[] => {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool") answers.set(message.callId, message);
  return messages.flatMap((message, index): readonly RecordedCall[] => {
    if (index < given || message.role !== "assistant") return [];
    const taints = collectConversationTaints(messages.slice(0, index + 1));
    return (message.calls ?? [])
      .filter((call) => call.providerExecuted !== true && call.repeats === undefined)
      .map((call) => ({ call, agent: message.agent, answer: answers.get(call.id), taints }));
  });
};
