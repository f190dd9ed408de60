import {
  asSchema,
  type FlexibleSchema,
  type InferToolInput,
  type InferToolOutput,
  type Tool,
  type ToolExecutionOptions,
  type ToolSet,
} from "ai";
import { isStandardSchema, type StandardSchema } from "../../base/schema/standard-schema.ts";
import {
  type ImportedTools,
  type ImportLoss,
  type ImportToolsOptions,
  importTool,
  toImportedTools,
} from "../../tools/import-tool.ts";
import type { CallContext } from "../../types/call.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { AnyTool, Tool as HaftTool } from "../../types/tool.ts";

/**
 * The second argument of `execute` when Haft runs a tool. `idempotencyKey` is the same for every attempt of a
 * call.
 */
export type HaftExecutionOptions<Context = unknown> = ToolExecutionOptions<Context> & {
  readonly idempotencyKey?: string;
};

/** The imported tools with their names and types in the AI SDK. */
export type FromAiSdkTools<Tools extends ToolSet> = {
  [Name in keyof Tools & string]: HaftTool<
    Name,
    InferToolInput<Tools[Name]>,
    InferToolOutput<Tools[Name]>,
    never
  >;
}[keyof Tools & string];

/** Imports tools of the AI SDK. `losses` lists what cannot be kept. */
export const fromAiSdkTools = <const Tools extends ToolSet>(
  tools: Tools,
  options: ImportToolsOptions<FromAiSdkTools<Tools>> = {},
): ImportedTools<FromAiSdkTools<Tools>> => {
  const losses: ImportLoss[] = [];
  const imported = Object.entries(tools).flatMap(([name, tool]): readonly (AnyTool | ImportLoss)[] => {
    const reportLoss = (what: string): void => void losses.push({ tool: name, what });
    const reasonLeftOut = leftOutReason(tool);
    const input = reasonLeftOut === undefined ? importSchema(tool.inputSchema) : undefined;
    if (reasonLeftOut !== undefined || input === undefined) {
      reportLoss(
        reasonLeftOut ??
          "Omitted: its input schema is a promise, and a tool's schema must be available immediately.",
      );
      return [];
    }
    for (const each of lossesOf(tool)) reportLoss(each);
    return [
      importTool(
        {
          name,
          description: typeof tool.description === "string" ? tool.description : (tool.title ?? name),
          input: input.schema,
          output: tool.outputSchema === undefined ? undefined : importSchema(tool.outputSchema)?.schema,
          requiresApproval: tool.needsApproval !== undefined && tool.needsApproval !== false,
          run: async (value, context) => await runAiSdkTool(tool, await input.parse(value), context),
        },
        options,
      ),
    ];
  });
  return toImportedTools(imported, losses, options);
};

const leftOutReason = (tool: Tool): string | undefined => {
  if (tool.type === "provider" && tool.isProviderExecuted)
    return "Left out: its provider runs it, and Haft never sees the call.";
  if (tool.execute === undefined)
    return "Left out: it has no `execute`, so the client runs it and Haft never sees the call.";
  return undefined;
};

const lossesOf = (tool: Tool): readonly string[] => {
  const lossConditions: Record<string, boolean> = {
    "`needsApproval` is a function: here every call requires approval.":
      typeof tool.needsApproval === "function",
    "`toModelOutput` is not used: the model reads the result as JSON.": tool.toModelOutput !== undefined,
    "Its context is the `env` of the call, which `contextSchema` does not check.":
      tool.contextSchema !== undefined,
    "Its description is a function: the model reads its title or its name instead.":
      typeof tool.description === "function",
    "It has no description: the model reads its title or its name instead.": tool.description === undefined,
    "Its `id` and `args` are not sent to the provider: here it is an ordinary tool.":
      tool.type === "provider",
    "`onInputStart`, `onInputDelta` and `onInputAvailable` are not called.":
      tool.onInputStart !== undefined ||
      tool.onInputDelta !== undefined ||
      tool.onInputAvailable !== undefined,
    "`providerOptions` are not sent.": tool.providerOptions !== undefined,
    "`inputExamples` are not sent.": tool.inputExamples !== undefined,
    "`strict`, `deferLoading` and `metadata` have no effect here.":
      tool.strict !== undefined || tool.deferLoading !== undefined || tool.metadata !== undefined,
  };
  return Object.keys(lossConditions).filter((what) => lossConditions[what]);
};

/** Of a streamed result, the last item is the value and the others are progress. */
const runAiSdkTool = async (tool: Tool, input: unknown, context: CallContext): Promise<unknown> => {
  const { callId, signal, env, progress, idempotencyKey } = context;
  const given: HaftExecutionOptions = {
    toolCallId: callId,
    messages: [],
    abortSignal: signal,
    context: env,
    idempotencyKey,
  };
  const result: unknown = tool.execute!(input, given);
  if (!isAsyncIterable(result)) return result;
  let last: unknown;
  let isFirst = true;
  for await (const each of result) {
    if (!isFirst) progress(last);
    isFirst = false;
    last = each;
  }
  return last;
};

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

interface ImportedSchema {
  readonly schema: JsonSchema | StandardSchema;
  readonly parse: (value: unknown) => Promise<unknown>;
}

/**
 * If validation may be asynchronous, Haft uses the JSON Schema, and `parse` runs with the tool. Undefined if
 * the JSON Schema is a promise.
 */
const importSchema = (source: FlexibleSchema): ImportedSchema | undefined => {
  if (isStandardSchema(source) && source["~standard"].jsonSchema !== undefined) {
    return { schema: source, parse: async (value) => value };
  }
  const { jsonSchema, validate } = asSchema(source);
  if ("then" in jsonSchema && typeof jsonSchema.then === "function") return undefined;
  const { $schema: _, ...schema } = jsonSchema as JsonSchema;
  const parse = async (value: unknown): Promise<unknown> => {
    const validated = (await validate?.(value)) ?? { success: true, value };
    if (!validated.success) throw validated.error;
    return validated.value;
  };
  return { schema, parse };
};
