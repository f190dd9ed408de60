import type { Message } from "../../types/message.ts";
import { loadToolName } from "../../types/tool-search.ts";

/**
 * Reads the loaded tools from the conversation, so that a resuming process gets the same list: results of
 * `load_tools`, and tools called without loading.
 */
export const loadedToolNames = (
  messages: readonly Message[],
  agent: string,
  wireNameOf: (called: string) => string | undefined,
): ReadonlySet<string> => {
  const answers = new Map<string, string>();
  for (const one of messages) if (one.role === "tool" && one.ok) answers.set(one.callId, one.content);
  const loaded = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant" || (message.agent ?? agent) !== agent) continue;
    for (const { id, tool, providerExecuted } of message.calls ?? []) {
      if (providerExecuted === true) continue;
      const names = tool === loadToolName ? namesInReply(answers.get(id)) : [wireNameOf(tool) ?? []].flat();
      for (const name of names) loaded.add(name);
    }
  }
  return loaded;
};

const namesInReply = (content: string | undefined): readonly string[] => {
  if (content === undefined) return [];
  try {
    const { loaded } = Object(JSON.parse(content)) as { readonly loaded?: unknown };
    return Array.isArray(loaded) ? loaded.filter((name) => typeof name === "string").sort() : [];
  } catch {
    return [];
  }
};
