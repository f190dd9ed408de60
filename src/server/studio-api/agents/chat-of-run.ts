import { reachableAgents } from "../../../agent/collect-agent-tools.ts";
import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import { listCurrentApprovals } from "../../../pipeline/pending/earlier-call-note.ts";
import type { ApprovalRecord } from "../../../types/approval.ts";
import { textOf } from "../../../types/message.ts";
import type { RunRecord } from "../../../types/run-store.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { definedFields } from "../read-query.ts";
import { toRunListItem } from "../runs/show-run.ts";
import type { ChatEvent } from "../schemas/agents.ts";
import type { StudioAgentOptions } from "../studio-options.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import type { ChatLog } from "./chat-logs.ts";

/** Rebuilt from the ledger if necessary. Undefined if the run is not a chat of this agent or has no stored messages. */
export const chatOfRun = async (
  studio: StudioServices,
  agent: StudioAgentOptions,
  run: RunRecord,
): Promise<ChatLog | undefined> => {
  const { runId } = run;
  const cached = studio.chats.find(runId);
  if (cached !== undefined && !isChatBehindRun(cached, run)) return cached;
  const isOfAgent = [...reachableAgents(agent.agent)].some(({ name }) => name === run.agent);
  if (!isOfAgent || toRunListItem(run).kind !== "run") return undefined;
  if (cached === undefined && run.messages.length === 0) return undefined;
  const approvals = await runLedger(listCurrentApprovals(studio.ledger, { runId }));
  const chat = studio.chats.find(runId) ?? studio.chats.open(agent);
  if (isChatBehindRun(chat, run)) {
    const before = run.messages.length > 0 ? historyToChatEvents(studio, run, approvals) : chat.events();
    chat.replace([...before, ...endEventsOf(studio, run)]);
  }
  return chat;
};

const isChatBehindRun = (chat: ChatLog, { runId, status, turns }: RunRecord): boolean => {
  const last = chat.lastRun();
  if (chat.isLive()) return false;
  return last === undefined || (last.runId === runId && (last.status !== status || last.turns !== turns));
};

const historyToChatEvents = (
  studio: StudioServices,
  { runId, agent: lastAgent, messages }: RunRecord,
  approvals: readonly ApprovalRecord[],
): readonly ChatEvent[] => {
  const text = (value: string): string => maskLedgerText(value, studio.redactor);
  let speaker = lastAgent;
  return messages.flatMap((message): readonly ChatEvent[] => {
    if (message.role === "system") return [];
    if (message.role === "user") return [{ kind: "start", chatId: runId, message: text(textOf(message)) }];
    if (message.role === "assistant") {
      const { agent = lastAgent, reasoning, content, calls = [] } = message;
      speaker = agent;
      return [
        ...(reasoning === undefined ? [] : [{ kind: "reasoning", agent, text: text(reasoning) } as const]),
        ...(content === "" ? [] : [{ kind: "text", agent, text: text(content) } as const]),
        ...calls.map(({ id, tool, input }) => ({
          kind: "call" as const,
          agent,
          callId: id,
          tool,
          input: text(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
        })),
      ];
    }
    const { callId, tool, ok, content, pending, flow } = message;
    return [
      ...approvals
        .filter((record) => record.callId === callId)
        .map((record) => ({ kind: "approval" as const, approval: toApproval(studio, record) })),
      ...(pending === undefined ? [{ kind: "result", callId, tool, ok, text: text(content) } as const] : []),
      ...(flow?.kind === "handoff" ? [{ kind: "handoff", from: speaker, to: flow.agent } as const] : []),
    ];
  });
};

const endEventsOf = (studio: StudioServices, run: RunRecord): readonly ChatEvent[] => {
  const { status, agent, turns, tokens, runId, reason } = toRunListItem(run);
  const last = run.messages.at(-1);
  const text = last?.role === "assistant" ? maskLedgerText(last.content, studio.redactor) : "";
  const problem =
    status === "failed"
      ? (reason ?? "The run failed.")
      : run.messages.length === 0 && status !== "running"
        ? `The run is ${status}. Its messages are not stored; set config.ledger.keepPayloads to store those of later runs.`
        : undefined;
  return [
    ...(problem === undefined ? [] : [{ kind: "failed", message: problem, runId } as const]),
    { kind: "done", runId, status, text, agent, tokens, turns, ...definedFields({ reason }) },
  ];
};
