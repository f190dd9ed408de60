import { isResumable } from "../../../ledger/held-run-leases.ts";
import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import { listCurrentApprovals } from "../../../pipeline/pending/earlier-call-note.ts";
import { type ApprovalRecord, hasOpenApproval } from "../../../types/approval.ts";
import { isModelKey } from "../../../types/call.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import { type Message, mediaOf, textOf } from "../../../types/message.ts";
import type { Usage } from "../../../types/model.ts";
import { type RunRecord, type RunSummary, runKindOf, runKindRulesOf } from "../../../types/run-store.ts";
import { type ApiContext, toCaller } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toCallListItem } from "../calls/list-calls.ts";
import { maxRunEntries } from "../calls/show-call.ts";
import {
  definedFields,
  readChoice,
  readCount,
  readCursor,
  readText,
  toCursor,
  toText,
} from "../read-query.ts";
import { resumeProblem, studioAgentOf } from "../run-agent.ts";
import {
  type Run,
  type RunListItem,
  type RunMessage,
  runStateSchema,
  type Span,
  type Tokens,
} from "../schemas/runs.ts";
import type { Page, Text } from "../schemas/shared.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";

export const findRun = async ({ ledger }: StudioServices, runId: string): Promise<RunRecord> => {
  const run = await runLedger(ledger.runs.find(runId));
  if (run === undefined) throw notFoundError(`run "${runId}"`);
  return run;
};

export const showRun = async ({ studio, params }: ApiContext): Promise<Run> => {
  const { ledger } = studio;
  const run = await findRun(studio, params.id!);
  const { runId, messages } = run;
  const [entries, approvals] = await Promise.all([
    runLedger(ledger.entries({ runId, limit: maxRunEntries + 1 })),
    runLedger(listCurrentApprovals(ledger, { runId })),
  ]);
  const runEntries = entries.slice(-maxRunEntries);
  const costs = runEntries.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const resumeProblem = resumeRunProblem(studio, run, approvals);
  const byCall = new Map(runEntries.map((entry) => [entry.callId, entry]));
  return {
    summary: toRunListItem(run),
    ...definedFields({ firstAgent: run.firstAgent }),
    initialMessageCount: run.given,
    messages: messages.map((message) => toRunMessage(studio, message, byCall)),
    hasDroppedMessages: messages.length === 0 && run.turns > 0,
    spans: toSpans(runEntries),
    hasMore: entries.length > maxRunEntries,
    approvals: approvals.map((record) => toApproval(studio, record)),
    handoffs: messages.length === 0 ? handoffsInEntries(runEntries) : handoffsInMessages(messages, byCall),
    ...(costs.length === 0 ? {} : { cost: costs.reduce((sum, each) => sum + each, 0) }),
    can: {
      resume: resumeProblem === undefined,
      cancel: isResumable(run.status),
      replay: messages.length > 0 && !["session", "chat"].includes(runKindOf(runId)),
    },
    ...definedFields({ resumeProblem }),
  };
};

export const toTokens = ({ inputTokens, outputTokens, cachedTokens }: Usage): Tokens => ({
  input: inputTokens,
  output: outputTokens,
  ...definedFields({ cached: cachedTokens }),
});

export const toRunListItem = (run: RunSummary): RunListItem => {
  const { runId, agent, principal, status, reason, turns, usage, startedAt, updatedAt } = run;
  return {
    runId,
    kind: runKindOf(runId),
    agent,
    ...(principal === undefined ? {} : { caller: toCaller(principal) }),
    status,
    ...definedFields({ reason }),
    isHeld: run.isHeld === true,
    turns,
    tokens: toTokens(usage),
    startedAt,
    updatedAt,
  };
};

export const resumeRunProblem = (
  studio: StudioServices,
  run: RunRecord,
  approvals: readonly ApprovalRecord[],
): string | undefined => {
  const { runId, status, isHeld, messages, agent } = run;
  if (!isResumable(status)) return `The run is ${status}.`;
  const { resumer } = runKindRulesOf(runId);
  if (resumer !== undefined) return `The run is resumed by ${resumer}.`;
  if (isHeld === true) return "Another process holds the run.";
  if (hasOpenApproval(approvals, studio.now()))
    return "The run needs approval. Answer its approval requests first.";
  if (messages.length === 0) return "The messages of the run are not stored.";
  const known = studioAgentOf(studio, run);
  if (known === undefined) return `This Studio does not have the agent ${agent}.`;
  // Resuming uses up the answers.
  const answered = approvals.filter((record) => record.status === "answered");
  const [why] = answered.flatMap((record) => resumeProblem(studio, record, known) ?? []);
  return why === undefined ? undefined : `The run cannot be resumed here: ${why}.`;
};

const toSpans = (entries: readonly LedgerEntry[]): readonly Span[] => {
  const depths = new Map<string, number>();
  return entries.map((entry) => {
    const { entryId, parentId, at, durationMs, ending } = entry;
    const depth = parentId === undefined ? 0 : (depths.get(parentId) ?? -1) + 1;
    depths.set(entryId, depth);
    const isOver = ending === "executed" || ending === "failed";
    return {
      kind: isModelKey(entry.tool) ? "model" : "call",
      call: toCallListItem(entry),
      startedAt: at,
      ...(isOver && durationMs !== undefined ? { endedAt: at + durationMs } : {}),
      depth,
    };
  });
};

const handoffsInMessages = (
  messages: readonly Message[],
  calls: ReadonlyMap<string, LedgerEntry>,
): Run["handoffs"] => {
  let speaker: string | undefined;
  return messages.flatMap((message) => {
    if (message.role === "assistant") speaker = message.agent ?? speaker;
    if (message.role !== "tool" || message.flow?.kind !== "handoff") return [];
    return [
      { ...definedFields({ from: speaker, at: calls.get(message.callId)?.at }), to: message.flow.agent },
    ];
  });
};

/** For runs whose messages are not stored. */
const handoffsInEntries = (entries: readonly LedgerEntry[]): Run["handoffs"] =>
  entries.flatMap(({ handoff, at }) => (handoff === undefined ? [] : [{ to: handoff, at }]));

/** Masks the messages, which are stored unmasked. */
const toRunMessage = (
  { redactor }: StudioServices,
  message: Message,
  calls: ReadonlyMap<string, LedgerEntry>,
): RunMessage => {
  const masking = (text: string): Text => toText(maskLedgerText(text, redactor));
  const { role } = message;
  if (role === "system") return { role, text: masking(message.content) };
  if (role === "user")
    return { role, text: masking(textOf(message)), ...toMessageMedia(mediaOf(message.content)) };
  if (role === "tool") {
    const { callId, tool, ok, pending, taints, parts } = message;
    const about = { callId, tool, ok, ...definedFields({ approvalId: pending, taints }) };
    return { role, text: masking(message.content), ...about, ...toMessageMedia(mediaOf(parts ?? [])) };
  }
  return {
    role,
    text: masking(message.content),
    ...definedFields({ agent: message.agent }),
    ...(message.reasoning === undefined ? {} : { reasoning: masking(message.reasoning) }),
    ...(message.calls === undefined
      ? {}
      : {
          calls: message.calls.map(({ id, tool, input }) => ({
            id,
            tool,
            input: masking(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
            ...definedFields({ entryId: calls.get(id)?.entryId }),
          })),
        }),
    ...toMessageMedia(mediaOf(message.parts ?? [])),
  };
};

const toMessageMedia = (media: ReturnType<typeof mediaOf>): Pick<RunMessage, "media"> =>
  media.length === 0
    ? {}
    : { media: media.map(({ kind, mediaType, name }) => ({ kind, mediaType, ...definedFields({ name }) })) };

export const listRuns = async ({ studio, query }: ApiContext): Promise<Page<RunListItem>> => {
  const limit = readCount(query, "limit", 50, 500);
  const filter = definedFields({
    status: readChoice(query, "status", runStateSchema.enum),
    agent: readText(query, "agent"),
    before: readCursor(query),
  });
  const found = await runLedger(studio.ledger.runs.list({ ...filter, limit: limit + 1 }));
  const items = found.slice(0, limit).map(toRunListItem);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  return { items, hasMore, ...(hasMore && last !== undefined ? { next: toCursor(last.runId) } : {}) };
};
