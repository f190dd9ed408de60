import type { AgentStream } from "../../../agent/agent-stream.ts";
import type { Redactor } from "../../../base/json/redact.ts";
import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import type { AgentEvent } from "../../../types/agent.ts";
import { ToolError } from "../../../types/errors.ts";
import { failures } from "../../../types/failures.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toAppResult, toAppView } from "../apps/app-tools.ts";
import { definedFields } from "../read-query.ts";
import { toTokens } from "../runs/show-run.ts";
import type { ChatEvent } from "../schemas/agents.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import type { ChatLog } from "./chat-logs.ts";

/** Appends the events of a run to a chat. The signal aborts when the person stops the chat. */
export const streamRunToChat = (
  studio: StudioServices,
  chatLog: ChatLog,
  start: (signal: AbortSignal) => AgentStream,
): void => {
  const stopped = new AbortController();
  const streamAnswer = async (): Promise<void> => {
    const masker = maskTextEvents(studio, chatLog.append);
    for await (const event of start(stopped.signal)) {
      if (event.kind === "text" || event.kind === "reasoning") masker.push(event);
      else {
        masker.flush();
        for (const each of await runEventToChatEvents(studio, event)) chatLog.append(each);
      }
    }
    masker.flush();
  };
  const done = streamAnswer().catch((error: unknown) => chatLog.append(failedChatEvent(studio, error)));
  chatLog.start(() => stopped.abort(), done);
};

type TextEvent = Extract<AgentEvent, { kind: "text" | "reasoning" }>;

interface TextEventMasker {
  readonly push: (event: TextEvent) => void;
  readonly flush: () => void;
}

/** Masks the text of each agent and kind, and keeps the order. */
const maskTextEvents = ({ redactor, shared }: StudioServices, append: ChatLog["append"]): TextEventMasker => {
  let currentSource: Pick<TextEvent, "kind" | "agent"> | undefined;
  let masker = streamingMasker(redactor, shared.credentials.known);
  const emit = (text: string): void => {
    if (currentSource !== undefined && text !== "") append({ ...currentSource, text });
  };
  const flush = (): void => {
    emit(masker.flush());
    masker = streamingMasker(redactor, shared.credentials.known);
  };
  return {
    push: ({ kind, agent, text }) => {
      if (currentSource?.kind !== kind || currentSource.agent !== agent) flush();
      currentSource = { kind, agent };
      emit(masker.push(text));
    },
    flush,
  };
};

/** Texts are masked as in the ledger. */
const runEventToChatEvents = async (
  studio: StudioServices,
  event: AgentEvent,
): Promise<readonly ChatEvent[]> => {
  const { redactor, ledger, chats } = studio;
  const text = (given: string): string => maskLedgerText(given, redactor);
  switch (event.kind) {
    case "reset":
      return [{ kind: "reset", agent: event.agent, reason: event.reason }];
    case "calls":
      return event.calls.map(({ id, tool, input }) => ({
        kind: "call",
        agent: event.agent,
        callId: id,
        tool,
        input: text(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
      }));
    case "call-start":
      return [{ kind: "call-start", callId: event.callId, tool: event.tool }];
    case "call-end": {
      const { callId, tool, ok, durationMs, error } = event;
      return [{ kind: "call-end", callId, tool, ok, durationMs, ...definedFields({ error }) }];
    }
    case "approval": {
      const record = await runLedger(ledger.approvals.find(event.request.id));
      return record === undefined ? [] : [{ kind: "approval", approval: toApproval(studio, record) }];
    }
    case "turn":
      return event.invocations.map(({ callId, name, ok, result, error, arguments: input, parts }) => {
        const said = text(error ?? (typeof result === "string" ? result : (JSON.stringify(result) ?? "")));
        const answered = { ok, value: result, text: said, ...(parts && { parts }) };
        const app = ok
          ? toAppView(studio, studio.shared.registry.get(name), input, toAppResult(studio, answered))
          : undefined;
        return { kind: "result", callId, tool: name, ok, text: said, ...definedFields({ app }) };
      });
    case "handoff":
      return [{ kind: "handoff", from: event.from, to: event.to }];
    case "usage":
      return [{ kind: "usage", tokens: toTokens(event.usage) }];
    case "done": {
      const { runId, status, content, agent, usage, turns, reason, context } = event.response;
      // Another process may resume a pending run.
      if (status !== "pending") chats.keepContext(runId, context);
      const last = { runId, status, text: redactor.text(content), agent, tokens: toTokens(usage), turns };
      return [{ kind: "done", ...last, ...definedFields({ reason }) }];
    }
    default:
      return [];
  }
};

const failedChatEvent = ({ options, redactor }: StudioServices, error: unknown): ChatEvent => {
  if (ToolError.is(error) && failures[error.code].reader === "model")
    return { kind: "failed", message: error.message };
  options.onError(error, "chat");
  const words = error instanceof Error ? error.message : String(error);
  return { kind: "failed", message: redactor.text(words) };
};

/** Masks secrets, also those that are split between chunks. */
interface StreamingMasker {
  readonly push: (words: string) => string;
  readonly flush: () => string;
}

/** A last word of this length may be the start of a secret, so it is held until the next chunk. */
const minSecretWordLength = 12;
const secretCharacters = /[\d_=+/.-]/;

export const streamingMasker = (redactor: Redactor, secrets: () => Iterable<string>): StreamingMasker => {
  let buffer = "";
  return {
    push: (words) => {
      buffer += words;
      const cut = Math.min(lastWordStart(buffer), partialSecretStart(buffer, secrets()));
      const masked = redactor.text(buffer.slice(0, cut));
      buffer = buffer.slice(cut);
      return masked;
    },
    flush: () => {
      const masked = redactor.text(buffer);
      buffer = "";
      return masked;
    },
  };
};

const lastWordStart = (text: string): number => {
  const from = text.search(/\S*$/);
  const word = text.slice(from);
  return word.length >= minSecretWordLength || secretCharacters.test(word) ? from : text.length;
};

const partialSecretStart = (text: string, secrets: Iterable<string>): number => {
  let from = text.length;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
      if (!text.endsWith(secret.slice(0, length))) continue;
      from = Math.min(from, text.length - length);
      break;
    }
  }
  return from;
};
