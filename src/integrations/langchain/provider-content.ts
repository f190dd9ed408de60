import { toItems } from "../../models/dialects/model-reply.ts";
import { responseSources } from "../../models/dialects/openai/response-sources.ts";
import { untrustedSourceNames } from "../../models/dialects/untrusted-sources.ts";

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
