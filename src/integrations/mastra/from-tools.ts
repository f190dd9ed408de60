import type { ToolsInput } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { standardSchemaToJSONSchema, toStandardSchema } from "@mastra/core/schema";
import {
  isProviderDefinedTool,
  isValidationError,
  isVercelTool,
  noopObserve,
  type ToolAction,
  type ToolExecutionContext,
  ToolStream,
} from "@mastra/core/tools";
import {
  type ImportedTools,
  type ImportLoss,
  type ImportToolsOptions,
  importTool,
  toImportedTools,
} from "../../tools/import-tool.ts";
import type { CallContext } from "../../types/call.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { AnyTool, Tool } from "../../types/tool.ts";

type MastraToolAction = ToolAction<unknown, unknown>;

/**
 * The second argument of `execute` when Haft runs a tool. The key is the same for every attempt of a call.
 */
export type HaftExecutionContext = ToolExecutionContext & { readonly idempotencyKey?: string };

/** The imported tools with their names and types in Mastra. */
export type FromMastraTools<Tools extends ToolsInput> = {
  [Name in keyof Tools & string]: Tools[Name] extends ToolAction<
    infer Input,
    infer Output,
    infer _Suspend,
    infer _Resume,
    infer _Context
  >
    ? Tool<Name, Input, Output, never>
    : AnyTool;
}[keyof Tools & string];

/**
 * Imports tools of Mastra under the names that an agent's model sees. A `RequestContext` is `env` of the
 * call.
 */
export const fromMastraTools = <const Tools extends ToolsInput>(
  tools: Tools,
  options: ImportToolsOptions<FromMastraTools<Tools>> = {},
): ImportedTools<FromMastraTools<Tools>> => {
  const imported: (AnyTool | ImportLoss)[] = [];
  const losses: ImportLoss[] = [];
  for (const [name, each] of Object.entries(tools)) {
    const reason = leftOutReason(each);
    if (reason === undefined) {
      imported.push(importMastraTool(name, each as MastraToolAction, options));
      losses.push(...lossesOf(name, each as MastraToolAction));
    } else {
      losses.push({ tool: name, what: reason });
    }
  }
  return toImportedTools(imported, losses, options);
};

const leftOutReason = (each: ToolsInput[string]): string | undefined => {
  if (isProviderDefinedTool(each)) return "Its provider runs it, so it has no code to import.";
  if (isVercelTool(each as never)) return "It is a tool of the AI SDK: use fromAiSdkTools.";
  if (typeof (each as Partial<MastraToolAction>).execute !== "function")
    return "A client runs it, so it has no code here.";
  return undefined;
};

const importMastraTool = (
  name: string,
  each: MastraToolAction,
  options: { readonly about?: object },
): AnyTool | ImportLoss =>
  importTool(
    {
      name,
      description: each.description,
      // Without a schema, Mastra shows the model that there are no arguments.
      input: toJsonSchema(each.inputSchema, "input") ?? { type: "object", properties: {} },
      output: toJsonSchema(each.outputSchema, "output"),
      requiresApproval: Boolean(each.requireApproval),
      run: (input, context) => executeMastraTool(name, each, input, context),
    },
    options,
  );

const toJsonSchema = (
  schema: MastraToolAction["inputSchema"],
  io: "input" | "output",
): JsonSchema | undefined =>
  schema === undefined
    ? undefined
    : (standardSchemaToJSONSchema(toStandardSchema(schema), { io }) as JsonSchema);

const executeMastraTool = async (
  name: string,
  each: MastraToolAction,
  input: unknown,
  { callId, env, idempotencyKey, progress, signal }: CallContext,
): Promise<unknown> => {
  const suspend = () => Promise.reject(new Error(`${name} suspends itself, which is not supported here.`));
  const context: HaftExecutionContext = {
    idempotencyKey,
    abortSignal: signal,
    requestContext: env instanceof RequestContext ? env : new RequestContext(),
    writer: new ToolStream({ prefix: "tool", callId, name, runId: callId }, async (chunk) => progress(chunk)),
    observe: noopObserve,
    suspend,
  };
  const answer = await each.execute?.(input, context);
  // Mastra returns validation errors as results.
  if (isValidationError(answer)) throw new Error(answer.message);
  return answer;
};

const unsupportedHooks = ["onInputStart", "onInputDelta", "onInputAvailable", "onOutput"] as const;
const unsupportedFields = ["transform", "providerOptions", "background", "mcp"] as const;

const lossesOf = (tool: string, each: MastraToolAction): ImportLoss[] => {
  const usedHooks = unsupportedHooks.filter((field) => each[field] !== undefined);
  const unknown = unsupportedFields.filter((field) => each[field] !== undefined);
  const lossConditions: readonly (readonly [boolean, string])[] = [
    [
      typeof each.requireApproval === "function",
      "Its requireApproval function is not called: every call requires approval.",
    ],
    [
      each.toModelOutput !== undefined,
      "Its toModelOutput is not called: the model reads its result as JSON.",
    ],
    [each.suspendSchema !== undefined, "A call in which it suspends itself fails."],
    [usedHooks.length > 0, `Its ${usedHooks.join(", ")} hooks are not called.`],
    [unknown.length > 0, `These Mastra options have no effect here: ${unknown.join(", ")}.`],
  ];
  return lossConditions.flatMap(([isLost, what]) => (isLost ? [{ tool, what }] : []));
};
