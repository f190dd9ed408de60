import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import type { Session } from "../../runtime/session.ts";
import type { Toolish } from "../../tool/decorator.ts";
import type { AnyLayer } from "../../words/layer.ts";
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

/** How a session stands in `createAgent`. */
export interface MiddlewareOptions extends BridgeOptions {
  /** Around each question to the model, which then has a row in the ledger. Unless set: the model is asked as it is. */
  readonly modelLayers?: readonly AnyLayer[];
}

/**
 * The session's tools for `createAgent`, which need not be listed in its `tools`. What other tools said, those of the
 * agent and those of the model's provider, is noted in the session as untrusted before the model's calls are judged.
 */
export const haftMiddleware = <const All extends readonly Toolish[]>(
  session: Session<All>,
  options: MiddlewareOptions = {},
): HaftMiddleware<All> => {
  const { modelLayers, ...bridge } = options;
  const tools = toLangChainTools(session, bridge);
  const models = new Map<string, ReturnType<Session["model"]>>();
  const modelOf = (id: string): ReturnType<Session["model"]> => {
    const model = models.get(id) ?? session.model(id, { layers: modelLayers ?? [] });
    models.set(id, model);
    return model;
  };
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
      const ask = async () => next(request);
      const answer =
        modelLayers === undefined
          ? await ask()
          : await (await modelOf(idOf(request.model))).ask({ messages: lastOf(request.messages), ask });
      if (AIMessage.isInstance(answer)) await note([answer]);
      return answer;
    },
  };
};

/** What the ledger calls the model. */
const idOf = (model: unknown): string => {
  const { lc_namespace, model: name } = Object(model) as {
    readonly lc_namespace?: unknown;
    readonly model?: unknown;
  };
  const vendor = Array.isArray(lc_namespace) ? String(lc_namespace.at(-1)) : "langchain";
  return `${vendor}/${typeof name === "string" ? name : "model"}`;
};

/** The row says how the question ended: its last words. */
const lastOf = (messages: readonly BaseMessage[]) =>
  [{ role: "user", content: messages.at(-1)?.text ?? "" }] as const;

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
