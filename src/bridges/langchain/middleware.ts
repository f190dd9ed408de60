import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import type { Session } from "../../runtime/session.ts";
import type { Toolish } from "../../tool/decorator.ts";
import type { Message } from "../../words/message.ts";
import type { BridgeOptions } from "../bridged-tool.ts";
import { type LangChainTools, toLangChainTools } from "./to-tools.ts";

/** A middleware of `createAgent` that brings a session's tools along. */
export type HaftMiddleware<All extends readonly Toolish[]> = AgentMiddleware<
  undefined,
  undefined,
  unknown,
  LangChainTools<All>
>;

/**
 * The session's tools for `createAgent`, which need not be listed in its `tools`. What other tools said, those of the
 * agent and those of the model's provider, is noted in the session as untrusted before the model's calls are judged.
 */
export const haftMiddleware = <const All extends readonly Toolish[]>(
  session: Session<All>,
  options: BridgeOptions = {},
): HaftMiddleware<All> => {
  const tools = toLangChainTools(session, options);
  const noted = new Set<string>();
  const note = async (messages: readonly BaseMessage[]): Promise<void> => {
    const fresh = messages.flatMap(toolWords).filter((words) => !noted.has(keyOf(words)));
    if (fresh.length === 0) return;
    await session.note(fresh);
    for (const message of fresh) noted.add(keyOf(message));
  };

  return {
    name: "Haft",
    tools,
    // Around the model and not around tools: once anything is wrapped around tools, a tool that fails ends the run.
    wrapModelCall: async (request, next) => {
      await note(request.messages);
      const answer = await next(request);
      if (AIMessage.isInstance(answer)) await note([answer]);
      return answer;
    },
  };
};

type ToolWords = Extract<Message, { readonly role: "tool" }>;

const keyOf = ({ callId, tool }: ToolWords): string => `${callId} ${tool}`;

/** What tools said in a message: as its answer to a call, or within the model's message where the provider ran them. */
const toolWords = (message: BaseMessage): readonly ToolWords[] => {
  if (ToolMessage.isInstance(message)) {
    const { name: tool = "unnamed_tool", status, text: content, tool_call_id: callId } = message;
    return [{ role: "tool", callId, tool, content, ok: status !== "error" }];
  }
  if (!AIMessage.isInstance(message)) return [];
  if (!hasProviderWords(message)) return [];
  const [callId, tool] = [message.id ?? "", "server_tool"];
  return [{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }];
};

/** Not every provider shows what its tools said, and each has its own words for it; that they were called is enough. */
const hasProviderWords = ({ content, contentBlocks, response_metadata }: AIMessage): boolean => {
  const blocks = [...(Array.isArray(content) ? content : []), ...contentBlocks];
  const isOfProvider = ({ type }: { readonly type: string }): boolean =>
    /server_tool|tool_result|web_search|file_search|code_interpreter|code_execution|computer_call|mcp_/.test(
      type,
    );
  return blocks.some(isOfProvider) || "groundingMetadata" in (response_metadata ?? {});
};
