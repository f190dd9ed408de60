import type { LedgerEntry } from "../../../types/ledger.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";
import { oneLine, toModelName } from "./one-line.ts";
import type { PastQuestion } from "./question-history.ts";

/** The rows of questions to models; no tool can be called so. */
const modelRowPrefix = "model:";

/** They find tools, and answer nothing themselves. */
const searchToolNames: ReadonlySet<string> = new Set([searchToolName, loadToolName]);

/**
 * What a run was asked, and which tools answered, by its rows in the order they were opened. Only what a person said
 * and what the model chose of its own accord counts: neither calls from inside of a tool's code, nor any that were made
 * after the model had read untrusted words, nor a run that began in the middle of a conversation.
 */
export const toPastQuestion = (entries: readonly LedgerEntry[]): PastQuestion | undefined => {
  let question: string | undefined;
  let isTainted = false;
  const tools = new Set<string>();
  for (const entry of entries) {
    const { tool, ending, parentId, flow, taints = [] } = entry;
    const isQuestion = tool.startsWith(modelRowPrefix) && ending === "executed";
    if (isQuestion && question === undefined) {
      question = firstUserMessage(entry);
      if (question === undefined) return undefined;
    } else if (isQuestion && isTainted) break;
    else if (question !== undefined && ending === "executed" && parentId === undefined && flow !== "handoff")
      if (!tool.startsWith(modelRowPrefix) && !searchToolNames.has(tool)) tools.add(toModelName(tool));
    isTainted ||= taints.length > 0;
  }
  const text = question === undefined ? "" : oneLine(question);
  return text === "" || tools.size === 0 ? undefined : { text, tools: [...tools].sort() };
};

/** Instructions and one question: whatever else came before could have brought words of others with it. */
const firstUserMessage = ({ input }: LedgerEntry): string | undefined => {
  try {
    const { messages, last } = JSON.parse(input);
    return messages === 2 && last.role === "user" && typeof last.content === "string"
      ? last.content
      : undefined;
  } catch {
    return undefined;
  }
};
