import { shorten } from "../base/text/cut-text.ts";
import { textOf } from "../types/content.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Message } from "../types/message.ts";
import type { ModelReply } from "../types/model.ts";
import { runKindOf } from "../types/run-kinds.ts";

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
