import { canonicalJson } from "../../json/canonical-json.ts";
import { readJson } from "../../json/read-json.ts";
import { textDiff } from "../../text/line-diff.ts";
import { type Failure, stageOf } from "../../words/failure.ts";
import type { FailureCode, Stage } from "../../words/failures.ts";
import type { ToolMessage } from "../../words/message.ts";
import type { Reply } from "../../words/reply.ts";
import { loadName, searchName } from "../../words/tool-search.ts";

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
  if (held !== undefined) return notRun(held);
  const { text, failure } = reply;
  if (isSame(answer.content, text)) return { status: "same", after: text, diff: "" };
  if (reply.pending !== undefined || failure?.code === "approval_required" || wasNotAsked(failure)) {
    return notRun("it needs a person's approval");
  }
  if (failure?.code === "unknown_tool" && isHandoff(answer)) return notRun(handedOver);
  if (failure !== undefined && notHere.has(failure.code) && isSearch(answer)) return notRun(searched);
  const diff = textDiff(inLines(answer.content), inLines(text));
  if (failure === undefined || !early.has(stageOf(failure)))
    return { status: "different", after: text, diff };
  const status = gone.has(failure.code) ? "gone" : "refused";
  return { status, after: text, diff, why: failure.message };
};

/** What an approver answers while a run is replayed: nobody is there, and nothing is to wait for. */
export const notAsked = Object.freeze({
  kind: "deny",
  reason: "this is a replay, and nobody is asked",
} as const);

const wasNotAsked = (failure: Failure | undefined): boolean =>
  failure?.code === "approval_denied" && failure.message.includes(notAsked.reason);

export const notRun = (why: string): CallComparison => ({
  status: "not-run",
  after: undefined,
  diff: "",
  why,
});

const early: ReadonlySet<Stage> = new Set<Stage>(["hydrate", "bind", "authorize"]);
const gone: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "ambiguous_tool"]);

/** How a runtime, and an agent outside of a run, answer for a tool that only a run has. */
const notHere: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_tool", "call_over"]);

const handedOver = "it handed over to another agent, which is no tool of the runtime";

const searched = "it searched the tools of an agent, which only a run of the agent can";

const noSuchTool = /^Error: There is no tool named "[^"]*"\./;

/** Only the run of an agent knows the tools that hand over. */
const isHandoff = ({ tool, ok, content }: ToolMessage): boolean =>
  ok && tool.startsWith("handoff_to_") && content.startsWith('{"handoff":');

/** Nor is the search of an agent's tools known to anything but its run. */
const isSearch = ({ tool, ok, content }: ToolMessage): boolean =>
  ok &&
  ((tool === searchName && content.startsWith('{"tools":')) ||
    (tool === loadName && content.startsWith('{"loaded":')));

/** The order of keys tells a model nothing, nor does which other tools there are when it asks for none of them. */
const isSame = (before: string, after: string): boolean => {
  if (before === after) return true;
  const unknown = noSuchTool.exec(before)?.[0];
  if (unknown !== undefined) return after.startsWith(unknown);
  const [one, other] = [readJson(before), readJson(after)];
  return one.ok && other.ok && canonicalJson(one.value) === canonicalJson(other.value);
};

const inLines = (text: string): string => {
  const reading = readJson(text);
  if (!reading.ok || typeof reading.value !== "object" || reading.value === null) return text;
  return JSON.stringify(JSON.parse(canonicalJson(reading.value)), null, 2);
};
