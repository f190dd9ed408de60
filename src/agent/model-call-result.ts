import { isStringList } from "../base/json/json-value.ts";
import { shorten } from "../base/text/cut-text.ts";
import type { Failure } from "../types/failure.ts";
import type { LedgerStore } from "../types/ledger.ts";
import { type Message, markIncompleteCalls, textOf } from "../types/message.ts";
import type { ModelReply } from "../types/model.ts";
import { runKindOf } from "../types/run-store.ts";

export type ModelCallResult =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: Failure };

/** Validates a reply, because any code can implement `Model`. */
export const toModelCallResult = (
  id: string,
  value: unknown,
  parts: ModelReply["parts"],
): ModelCallResult => {
  const given = (value ?? { text: null }) as Partial<ModelReply>;
  const { text = "", calls = [], usage, finish, reasoning, losses, echo, nulls, taints } = given;
  if (typeof text !== "string" || !Array.isArray(calls) || !calls.every(isCall)) {
    const message = `${id} returned a value that is not a reply: a reply has a text and a list of calls.`;
    return failedModelCall({ code: "model_unreadable", message });
  }
  return {
    ok: true,
    reply: {
      text,
      calls: markIncompleteCalls(calls, finish),
      usage: {
        inputTokens: tokenCount(usage?.inputTokens),
        outputTokens: tokenCount(usage?.outputTokens),
        ...(usage?.cachedTokens === undefined ? {} : { cachedTokens: tokenCount(usage.cachedTokens) }),
      },
      finish: finish ?? (calls.length > 0 ? "calls" : "stop"),
      ...(parts === undefined ? {} : { parts }),
      ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning } : {}),
      ...(Array.isArray(losses) ? { losses } : {}),
      ...(echo === undefined ? {} : { echo }),
      ...(nulls === undefined ? {} : { nulls }),
      ...(isStringList(taints) ? { taints } : {}),
    },
  };
};

/** An invalid count becomes NaN, which exceeds every budget and stops the run. */
const tokenCount = (tokens: unknown): number => {
  if (tokens === undefined) return 0;
  return typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : Number.NaN;
};

const isCall = (call: unknown): boolean => {
  const { id, tool } = (call ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
  return typeof id === "string" && typeof tool === "string";
};

export const failedModelCall = (failure: Failure): ModelCallResult => ({ ok: false, failure });

const maxSummaryLength = 500;

/**
 * Replaces the conversation in ledger rows of model calls by a summary, because each request repeats it. Rows
 * of chats contain no text at all, because chats can be deleted and rows cannot.
 */
export const summarizeModelRows = (
  ledger: LedgerStore,
  isOfLoop: (entryId: string) => boolean,
): LedgerStore => {
  const ofChats = new Set<string>();
  return {
    close: (closing) => {
      const isOfChat = ofChats.delete(closing.entryId);
      // The run loop records the reply as a step before using it, so both can be batched.
      const kept = isOfLoop(closing.entryId) ? { ...closing, isSoon: true } : closing;
      return ledger.close(isOfChat ? { ...kept, result: countReply(closing.result) } : kept);
    },
    entries: (query) => ledger.entries(query),
    open: (opening) => {
      const isOfChat = runKindOf(opening.runId) === "chat";
      if (isOfChat) ofChats.add(opening.entryId);
      return ledger.open({ ...opening, input: summarizeMessages(opening.input, isOfChat) });
    },
  };
};

const countReply = (result: string | undefined): string | undefined => {
  if (result === undefined) return undefined;
  const { text = "", calls = [], usage, finish } = JSON.parse(result) as Partial<ModelReply>;
  return JSON.stringify({ characters: text.length, calls: calls.length, usage, finish });
};

const summarizeMessages = (input: string, isOfChat: boolean): string => {
  const { messages } = JSON.parse(input) as { readonly messages: readonly Message[] };
  const last = messages.at(-1);
  const content = textOf(last ?? { content: "" });
  if (isOfChat) {
    return JSON.stringify({
      messages: messages.length,
      last: { role: last?.role, characters: content.length },
    });
  }
  const cut = shorten(content, maxSummaryLength);
  return JSON.stringify({ messages: messages.length, last: { role: last?.role, content: cut } });
};
