import { toItems } from "../../models/dialects/model-reply.ts";
import { responseSources } from "../../models/dialects/openai/response-sources.ts";
import { sourceMembers } from "../../models/dialects/untrusted-sources.ts";

interface LangChainBlock {
  readonly type: string;
}

/** The members of a model's message in LangChain that say where its content is from. */
interface LangChainMessage {
  readonly content: string | readonly LangChainBlock[];
  readonly contentBlocks: readonly LangChainBlock[];
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
}

/**
 * Whether a provider brought content of others into the message: results of its own tools, citations, or blocks of an
 * unknown kind. Integrations keep these in the blocks, in the metadata (Gemini) or among other arguments (OpenAI).
 */
export const hasProviderContent = (message: LangChainMessage): boolean => {
  const { content, contentBlocks, response_metadata, additional_kwargs } = message;
  const native = Array.isArray(content) ? content : [];
  const items = [response_metadata?.output, additional_kwargs?.tool_outputs].flatMap(toItems);
  return (
    native.some((block) => providerBlockPattern.test(block.type) || sourceMembers(block).length > 0) ||
    contentBlocks.some((block) => !standardBlockTypes.has(block.type) || sourceMembers(block).length > 0) ||
    items.some((item) => responseSources(item, []).length > 0) ||
    sourceMembers(response_metadata).length > 0 ||
    sourceMembers(additional_kwargs).length > 0
  );
};

const providerBlockPattern =
  /server_tool|tool_result|web_search|file_search|code_interpreter|code_execution|computer_call|mcp_/;

/** Blocks of LangChain's own kinds that hold the model's words, calls or media. Native ones are judged by `providerBlock`. */
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
