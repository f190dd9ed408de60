import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { textDiff } from "../../../base/text/line-diff.ts";
import { type Failure, stageOf } from "../../../types/failure.ts";
import type { FailureCode, Stage } from "../../../types/failures.ts";
import type { ToolMessage } from "../../../types/message.ts";
import type { Reply } from "../../../types/outcome.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";

/**
 * `gone`: the tool no longer exists. `refused`: the call would be refused. `not-run`: the result is unknown,
 * because the call may not run now or did not run originally.
 */
export type ReplayStatus = "same" | "different" | "refused" | "not-run" | "gone";

export interface CallComparison {
  readonly status: ReplayStatus;
  readonly after: string | undefined;
  readonly diff: string;
  readonly why?: string;
}

export const compareCall = (answer: ToolMessage, reply: Reply, held: string | undefined): CallComparison => {
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

export const notRunComparison = (why: string): CallComparison => ({
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
