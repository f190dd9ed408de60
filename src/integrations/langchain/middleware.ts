import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import { toItems, untrustedSourceNames } from "../../models/dialects/model-reply.ts";
import { responseSources } from "../../models/dialects/openai/finish.ts";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { Message } from "../../types/message.ts";
import type { AnyLayer } from "../../types/tool.ts";
import { checkIntegration } from "../check-integration.ts";
import type { IntegrationOptions } from "../session-tools.ts";
import { toLangChainMessage } from "./invoke-session-tool.ts";
import { type LangChainTools, toLangChainTools } from "./to-tools.ts";

/** A `createAgent` middleware that adds a session's tools. */
export type HaftMiddleware<All extends readonly ToolOrClass[]> = AgentMiddleware<
  undefined,
  undefined,
  unknown,
  LangChainTools<All>
>;

/** Options of `haftMiddleware`. */
export interface MiddlewareOptions extends IntegrationOptions {
  /**
   * Layers around each model request, which is then recorded in the ledger. If missing, the model is called
   * directly.
   */
  readonly modelLayers?: readonly AnyLayer[];
}

/**
 * Adds the session's tools to `createAgent`. Results of other tools are noted as untrusted before the model's
 * calls are authorized.
 */
export const haftMiddleware = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
  options: MiddlewareOptions = {},
): HaftMiddleware<All> => {
  checkIntegration("haftMiddleware", session, options, ["answeredBy", "modelLayers"]);
  const { modelLayers, ...toolOptions } = options;
  const tools = toLangChainTools(session, toolOptions);
  const models = new Map<string, ReturnType<Session["model"]>>();
  const modelOf = (id: string): ReturnType<Session["model"]> => {
    const model = models.get(id) ?? session.model(id, { layers: modelLayers ?? [] });
    models.set(id, model);
    return model;
  };
  const notedResults = new Set<string>();
  const note = async (messages: readonly BaseMessage[]): Promise<void> => {
    const fresh = messages.flatMap(toolResultsOf).filter((words) => !notedResults.has(toolResultKey(words)));
    if (fresh.length === 0) return;
    await session.note(fresh);
    for (const message of fresh) notedResults.add(toolResultKey(message));
  };

  return {
    name: "Haft",
    tools,
    // Wraps no tool calls: with a wrapper, LangChain ends the run when a tool fails.
    wrapModelCall: async (request, next) => {
      await note(request.messages);
      const messages = await withMissingResults(session, request.messages);
      const callModel = async () => next({ ...request, messages });
      const answer =
        modelLayers === undefined
          ? await callModel()
          : await (await modelOf(modelIdOf(request.model))).ask({
              messages: lastMessageOf(messages),
              ask: callModel,
            });
      if (AIMessage.isInstance(answer)) await note([answer]);
      return answer;
    },
  };
};

/**
 * A user message restarts a paused graph, whose call then has no result, and providers reject such messages.
 */
const withMissingResults = async (
  session: Session,
  messages: readonly BaseMessage[],
): Promise<BaseMessage[]> => {
  const known = new Set(
    messages.map((message) => (ToolMessage.isInstance(message) ? message.tool_call_id : "")),
  );
  const complete: BaseMessage[] = [];
  for (const message of messages) {
    complete.push(message);
    if (!AIMessage.isInstance(message)) continue;
    for (const { id, name, args } of message.tool_calls ?? []) {
      if (id === undefined || known.has(id)) continue;
      const call = { id, tool: name, input: args };
      if ((await session.stands(call)) === "none") continue;
      const [reply] = await session.turn([call]);
      if (reply !== undefined)
        complete.push(toLangChainMessage(reply, { toolCall: { id, name, args, type: "tool_call" } }));
    }
  }
  return complete;
};

const modelIdOf = (model: unknown): string => {
  const { lc_namespace, model: name } = Object(model) as {
    readonly lc_namespace?: unknown;
    readonly model?: unknown;
  };
  const vendor = Array.isArray(lc_namespace) ? String(lc_namespace.at(-1)) : "langchain";
  return `${vendor}/${typeof name === "string" ? name : "model"}`;
};

/** The ledger records only the last message. */
const lastMessageOf = (messages: readonly BaseMessage[]) =>
  [{ role: "user", content: messages.at(-1)?.text ?? "" }] as const;

type ToolResultMessage = Extract<Message, { readonly role: "tool" }>;

const toolResultKey = ({ callId, tool }: ToolResultMessage): string => `${callId} ${tool}`;

const toolResultsOf = (message: BaseMessage): readonly ToolResultMessage[] => {
  if (ToolMessage.isInstance(message)) {
    const { name: tool = "unnamed_tool", status, text: content, tool_call_id: callId } = message;
    return [{ role: "tool", callId, tool, content, ok: status !== "error" }];
  }
  if (!AIMessage.isInstance(message)) return [];
  if (!hasProviderContent(message)) return [];
  const [callId, tool] = [message.id ?? "", "server_tool"];
  return [{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }];
};

interface LangChainBlock {
  readonly type: string;
}

interface LangChainMessage {
  readonly content: string | readonly LangChainBlock[];
  readonly contentBlocks: readonly LangChainBlock[];
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
}

/**
 * Integrations keep results of provider tools and citations in blocks, in metadata (Gemini) or in additional
 * arguments (OpenAI). Unknown blocks count as foreign content.
 */
export const hasProviderContent = (message: LangChainMessage): boolean => {
  const { content, contentBlocks, response_metadata, additional_kwargs } = message;
  const native = Array.isArray(content) ? content : [];
  const items = [response_metadata?.output, additional_kwargs?.tool_outputs].flatMap(toItems);
  return (
    native.some((block) => providerBlockPattern.test(block.type) || untrustedSourceNames(block).length > 0) ||
    contentBlocks.some(
      (block) => !standardBlockTypes.has(block.type) || untrustedSourceNames(block).length > 0,
    ) ||
    items.some((item) => responseSources(item, []).length > 0) ||
    untrustedSourceNames(response_metadata).length > 0 ||
    untrustedSourceNames(additional_kwargs).length > 0
  );
};

const providerBlockPattern =
  /server_tool|tool_result|web_search|file_search|code_interpreter|code_execution|computer_call|mcp_/;

/** Native blocks are matched by `providerBlockPattern`. */
const standardBlockTypes: ReadonlySet<string> = new Set([
  "text",
  "reasoning",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "image",
  "audio",
  "video",
  "file",
  "text-plain",
  "non_standard",
]);
