import type { LedgerEntry } from "../../../types/ledger.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";
import { oneLine, toModelName } from "./one-line.ts";
import type { PastQuestion } from "./question-history.ts";

/** No tool can have such a name. */
const modelRowPrefix = "model:";

const searchToolNames: ReadonlySet<string> = new Set([searchToolName, loadToolName]);

/**
 * Only the user's message and the model's own choices count: no nested calls, no calls after untrusted
 * content, and no run that began in the middle of a conversation.
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

/** Earlier messages could contain untrusted content. */
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
