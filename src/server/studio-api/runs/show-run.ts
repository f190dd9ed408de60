import { mayGoOn } from "../../ledger/may-go-on.ts";
import { hasOpenQuestion } from "../../words/approval.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import type { Message } from "../../words/message.ts";
import { isChatRun, isJobRun, isSessionRun, type RunRecord } from "../../words/run-book.ts";
import { agentOf } from "../acting.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { given, isModelCall, toCallLine } from "../calls/call-line.ts";
import { mostOfRun } from "../calls/show-call.ts";
import { notFound } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { Run, Span } from "../words/runs.ts";
import { ask, type StudioWorld } from "../world.ts";
import { toRunLine } from "./run-line.ts";
import { toMessage } from "./to-message.ts";

export const findRun = async ({ ledger }: StudioWorld, runId: string): Promise<RunRecord> => {
  const run = await ask(ledger.runs.find(runId));
  if (run === undefined) throw notFound(`run "${runId}"`);
  return run;
};

/** A run with what was said, what was called, and what can be done with it. */
export const showRun = async ({ world, params }: Visit): Promise<Run> => {
  const { ledger } = world;
  const run = await findRun(world, params.id!);
  const { runId, messages } = run;
  const [entries, asked] = await Promise.all([
    ask(ledger.entries({ runId, limit: mostOfRun + 1 })),
    ask(ledger.approvals.list({ runId })),
  ]);
  const kept = entries.slice(-mostOfRun);
  const costs = kept.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const whyNot = whyNotResumed(world, run, hasOpenQuestion(asked, world.now()));
  const byCall = new Map(kept.map((entry) => [entry.callId, entry]));
  return {
    line: toRunLine(run),
    ...given({ firstAgent: run.firstAgent }),
    given: run.given,
    messages: messages.map((message) => toMessage(world, message, byCall)),
    isForgotten: messages.length === 0 && run.turns > 0,
    spans: spansOf(kept),
    isCut: entries.length > mostOfRun,
    approvals: asked.map((record) => toApproval(world, record)),
    handoffs: messages.length === 0 ? handoffsOf(kept) : handoffsIn(messages, byCall),
    ...(costs.length === 0 ? {} : { cost: costs.reduce((sum, each) => sum + each, 0) }),
    can: {
      resume: whyNot === undefined,
      giveUp: mayGoOn(run.status),
      replay: messages.length > 0 && !isSessionRun(runId) && !isChatRun(runId),
    },
    ...given({ whyNot }),
  };
};

/** Why nobody can go on with a run from here; nothing where somebody can. */
export const whyNotResumed = (world: StudioWorld, run: RunRecord, isAsked: boolean): string | undefined => {
  const { runId, status, isHeld, messages, agent } = run;
  if (!mayGoOn(status)) return `It is ${status}.`;
  if (isSessionRun(runId)) return "Only the loop that drives its session goes on with it.";
  if (isChatRun(runId)) return "Its chat goes on with it.";
  if (isJobRun(runId)) return "A worker of the fleet goes on with it.";
  if (isHeld === true) return "A process that lives goes on with it.";
  if (isAsked) return "It waits for a person: answer what it asks first.";
  if (messages.length === 0) return "What was said in it is not kept.";
  if (agentOf(world, run) === undefined) return `The agent ${agent} is not in this Studio.`;
  return undefined;
};

/** Oldest first, with how deep each is inside of others. */
const spansOf = (entries: readonly LedgerEntry[]): readonly Span[] => {
  const depths = new Map<string, number>();
  return entries.map((entry) => {
    const { entryId, parentId, at, durationMs, ending } = entry;
    const depth = parentId === undefined ? 0 : (depths.get(parentId) ?? -1) + 1;
    depths.set(entryId, depth);
    const isOver = ending === "executed" || ending === "failed";
    return {
      kind: isModelCall(entry) ? "model" : "call",
      call: toCallLine(entry),
      beganAt: at,
      ...(isOver && durationMs !== undefined ? { endedAt: at + durationMs } : {}),
      depth,
    };
  });
};

/** Each time another agent spoke than before. */
const handoffsIn = (
  messages: readonly Message[],
  calls: ReadonlyMap<string, LedgerEntry>,
): Run["handoffs"] => {
  let speaker: string | undefined;
  return messages.flatMap((message) => {
    if (message.role === "assistant") speaker = message.agent ?? speaker;
    if (message.role !== "tool" || message.flow?.kind !== "handoff") return [];
    return [{ ...given({ from: speaker, at: calls.get(message.callId)?.at }), to: message.flow.agent }];
  });
};

/** The same where nothing that was said is kept: the calls that handed over are. */
const handoffsOf = (entries: readonly LedgerEntry[]): Run["handoffs"] =>
  entries.flatMap(({ handoff, at }) => (handoff === undefined ? [] : [{ to: handoff, at }]));
