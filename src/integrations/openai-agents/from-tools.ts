import { Agent, type FunctionTool, RunContext, type Tool } from "@openai/agents";
import {
  type ImportedTools,
  type ImportLoss,
  type ImportToolsOptions,
  importTool,
  toImportedTools,
} from "../../tools/import-tool.ts";
import type { CallContext } from "../../types/call.ts";
import type { AnyTool } from "../../types/tool.ts";

/**
 * Imports tools of the OpenAI Agents SDK. A tool's context is `env` of the call, and
 * `details.toolCall.providerData.idempotencyKey` its idempotency key.
 */
export const fromOpenAiAgentsTools = async <Context>(
  tools: readonly Tool<Context>[],
  options: ImportToolsOptions = {},
): Promise<ImportedTools> => {
  const imported: (AnyTool | ImportLoss)[] = [];
  const losses: ImportLoss[] = [];
  for (const each of tools) {
    if (each.type === "function") {
      imported.push(await importFunctionTool(each as FunctionTool<Context>, options));
      losses.push(...lossesOf(each as FunctionTool<Context>));
    } else {
      losses.push({
        tool: each.name,
        what: `It has the type ${each.type}, not function, and the SDK or OpenAI runs it.`,
      });
    }
  }
  return toImportedTools(imported, losses, options);
};

const importFunctionTool = async <Context>(
  each: FunctionTool<Context>,
  options: ImportToolsOptions,
): Promise<AnyTool | ImportLoss> => {
  const { name, description, outputSchema, parameters } = each;
  const requiresApproval = await alwaysNeedsApproval(each);
  const isApprovalDecided = requiresApproval || options.about?.[name]?.requiresApproval !== undefined;
  return importTool(
    {
      name,
      description,
      input: parameters as never,
      output: outputSchema as never,
      requiresApproval,
      run: (input, context) => invokeFunctionTool(each, input, context, isApprovalDecided),
    },
    options,
  );
};

/** A tool that needs approval without arguments always needs it. */
const alwaysNeedsApproval = async <Context>({ needsApproval }: FunctionTool<Context>): Promise<boolean> => {
  try {
    return await needsApproval(new RunContext(), {} as never, "");
  } catch {
    return false;
  }
};

const invokeFunctionTool = async <Context>(
  each: FunctionTool<Context>,
  input: unknown,
  { callId, env, idempotencyKey, principal, signal }: CallContext,
  isApprovalDecided: boolean,
): Promise<unknown> => {
  const { name } = each;
  const context = new RunContext(env as Context);
  if (!(await each.isEnabled(context, new Agent({ name: principal.agent })))) {
    throw new Error(`${name} is not enabled for this call.`);
  }
  if (!isApprovalDecided && (await each.needsApproval(context as never, input as never, callId))) {
    throw new Error(
      `${name} requires approval of this call. Import it with about: { ${name}: { requiresApproval: true } }.`,
    );
  }
  const text = JSON.stringify(input);
  const toolCall = {
    type: "function_call",
    callId,
    name,
    arguments: text,
    status: "completed",
    providerData: { idempotencyKey },
  } as const;
  return await each.invoke(context, text, { toolCall, signal });
};

const lossesOf = <Context>(each: FunctionTool<Context>): ImportLoss[] => {
  const { name: tool, errorFunction, inputGuardrails = [], outputGuardrails = [], timeoutMs } = each;
  const unknown = (["deferLoading", "providerData", "allowedCallers", "customDataExtractor"] as const).filter(
    (field) => each[field],
  );
  const lossConditions: readonly (readonly [boolean, string])[] = [
    [
      errorFunction !== null,
      "Unless its errorFunction is null, the value that it returns for a failure is treated as a result.",
    ],
    [
      timeoutMs !== undefined && each.timeoutBehavior !== "raise_exception",
      "Its own timeout message is treated as a result; set about: { timeout } instead.",
    ],
    [
      inputGuardrails.length > 0 || outputGuardrails.length > 0,
      "Its guardrails only run in the SDK's Runner.",
    ],
    [unknown.length > 0, `These SDK options have no effect here: ${unknown.join(", ")}.`],
  ];
  return lossConditions.flatMap(([isLost, what]) => (isLost ? [{ tool, what }] : []));
};
