import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { textDiff } from "../../../base/text/line-diff.ts";
import { type Failure, stageOf } from "../../../types/failure.ts";
import type { FailureCode, Stage } from "../../../types/failures.ts";
import type { ToolMessage } from "../../../types/message.ts";
import type { Reply } from "../../../types/reply.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";

/**
 * `gone`: no such tool any more. `refused`: the call would not be let through. `not-run`: nobody can say, because it
 * may not run now or did not run then.
 */
export type ReplayStatus = "same" | "different" | "refused" | "not-run" | "gone";

export interface CallComparison {
  readonly status: ReplayStatus;
  /** What the model would be told; missing where the call was held back. */
  readonly after: string | undefined;
  /** Line by line; empty where there is nothing to compare or nothing differs. */
  readonly diff: string;
  readonly why?: string;
}

/** What came of a call now, held against what its model was told then. `held` says why its code was not run, if it was not. */
export const compareCall = (answer: ToolMessage, reply: Reply, held: string | undefined): CallComparison => {
  if (held !== undefined) return notRunComparison(held);
  const { text, failure } = reply;
  const before = textOf(answer);
  if (isSameText(before, text)) return { status: "same", after: text, diff: "" };
  if (reply.pending !== undefined || failure?.code === "approval_required" || wasReplayAnswer(failure)) {
    return notRunComparison("it needs a person's approval");
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

/** What an approver answers while a run is replayed: nobody is there, and nothing is to wait for. */
export const replayApprovalAnswer = Object.freeze({
  kind: "deny",
  reason: "this is a replay, and nobody is asked",
} as const);

const wasReplayAnswer = (failure: Failure | undefined): boolean =>
  failure?.code === "approval_denied" && failure.message.includes(replayApprovalAnswer.reason);

export const notRunComparison = (why: string): CallComparison => ({
  status: "not-run",
  after: undefined,
  diff: "",
  why,
});

const earlyStages: ReadonlySet<Stage> = new Set<Stage>(["hydrate", "bind", "authorize"]);
const goneCodes: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "ambiguous_tool"]);

/** How a runtime, and an agent outside of a run, answer for a tool that only a run has. */
const runOnlyCodes: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "call_over"]);

const handoffReason = "it handed over to another agent, which is no tool of the runtime";

const searchReason = "it searched the tools of an agent, which only a run of the agent can";

const noSuchTool = /^Error: There is no tool named "[^"]*"\./;

/** Only the run of an agent knows the tools that hand over. */
const isHandoff = ({ tool, ok, content }: ToolMessage): boolean =>
  ok && tool.startsWith("handoff_to_") && content.startsWith('{"handoff":');

/** Nor is the search of an agent's tools known to anything but its run. */
const isSearch = ({ tool, ok, content }: ToolMessage): boolean =>
  ok &&
  ((tool === searchToolName && content.startsWith('{"tools":')) ||
    (tool === loadToolName && content.startsWith('{"loaded":')));

/** The order of keys tells a model nothing, nor does which other tools there are when it asks for none of them. */
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
