import type { Tool, ToolSet } from "ai";
import type { CallContext } from "../../words/call.ts";
import type { AnyTool } from "../../words/tool.ts";
import {
  type BridgeLoss,
  type ForeignTools,
  type FromOptions,
  foreignTool,
  takenOver,
} from "../foreign-tool.ts";
import { foreignSchema } from "./foreign-schema.ts";

/** Tools of the AI SDK as tools of Haft, with policy, ledger and approval. `losses` names what they cannot keep. */
export const fromAiSdkTools = (tools: ToolSet, options: FromOptions = {}): ForeignTools => {
  const losses: BridgeLoss[] = [];
  const made = Object.entries(tools).flatMap(([name, tool]): readonly (AnyTool | BridgeLoss)[] => {
    const lose = (what: string): void => void losses.push({ tool: name, what });
    const left = leftOut(tool);
    const input = left === undefined ? foreignSchema(tool.inputSchema) : undefined;
    if (left !== undefined || input === undefined) {
      lose(left ?? "Left out: its input schema is a promise, and a tool must say what it takes at once.");
      return [];
    }
    for (const each of lossesOf(tool)) lose(each);
    return [
      foreignTool(
        {
          name,
          description: typeof tool.description === "string" ? tool.description : (tool.title ?? name),
          input: input.schema,
          output: tool.outputSchema === undefined ? undefined : foreignSchema(tool.outputSchema)?.schema,
          requiresApproval: tool.needsApproval !== undefined && tool.needsApproval !== false,
          run: async (value, context) => await runOf(tool, await input.parse(value), context),
        },
        options,
      ),
    ];
  });
  return takenOver(made, losses);
};

const leftOut = (tool: Tool): string | undefined => {
  if (tool.type === "provider" && tool.isProviderExecuted)
    return "Left out: its provider runs it, and Haft never sees the call.";
  if (tool.execute === undefined)
    return "Left out: it has no `execute`, so the client runs it and Haft never sees the call.";
  return undefined;
};

const lossesOf = (tool: Tool): readonly string[] => {
  const had: Record<string, boolean> = {
    "`needsApproval` is a function: here every call of it waits for a person.":
      typeof tool.needsApproval === "function",
    "`toModelOutput` is not used: the model reads the result as JSON.": tool.toModelOutput !== undefined,
    "Its context is the `env` of the call, which `contextSchema` does not check.":
      tool.contextSchema !== undefined,
    "Its description is a function: the model reads its title or its name instead.":
      typeof tool.description === "function",
    "It has no description: the model reads its title or its name instead.": tool.description === undefined,
    "Its `id` and `args` are not told to the provider: it is a tool like any other here.":
      tool.type === "provider",
    "`onInputStart`, `onInputDelta` and `onInputAvailable` are not called.":
      tool.onInputStart !== undefined ||
      tool.onInputDelta !== undefined ||
      tool.onInputAvailable !== undefined,
    "`providerOptions` are not sent.": tool.providerOptions !== undefined,
    "`inputExamples` are not sent.": tool.inputExamples !== undefined,
    "`strict`, `deferLoading` and `metadata` mean nothing here.":
      tool.strict !== undefined || tool.deferLoading !== undefined || tool.metadata !== undefined,
  };
  return Object.keys(had).filter((what) => had[what]);
};

/** Of what is streamed, the last is the result and what comes before is progress. */
const runOf = async (tool: Tool, input: unknown, context: CallContext): Promise<unknown> => {
  const { callId, signal, env, progress } = context;
  const result: unknown = tool.execute!(input, {
    toolCallId: callId,
    messages: [],
    abortSignal: signal,
    context: env,
  });
  if (!isStreamed(result)) return result;
  let last: unknown;
  let isFirst = true;
  for await (const each of result) {
    if (!isFirst) progress(last);
    isFirst = false;
    last = each;
  }
  return last;
};

const isStreamed = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
