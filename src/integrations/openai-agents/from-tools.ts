import { Agent, type FunctionTool, RunContext, type Tool } from "@openai/agents";
import type { CallContext } from "../../words/call.ts";
import type { AnyTool } from "../../words/tool.ts";
import {
  type BridgeLoss,
  type ForeignTools,
  type FromOptions,
  foreignTool,
  takenOver,
} from "../foreign-tool.ts";

/**
 * Tools of the OpenAI Agents SDK as Haft tools. It waits, because the SDK says only by a promise whether a tool needs
 * approval. A tool's context is `env` of the call.
 */
export const fromOpenAiAgentsTools = async <Context>(
  tools: readonly Tool<Context>[],
  options: FromOptions = {},
): Promise<ForeignTools> => {
  const taken: (AnyTool | BridgeLoss)[] = [];
  const losses: BridgeLoss[] = [];
  for (const each of tools) {
    if (each.type === "function") {
      taken.push(await take(each as FunctionTool<Context>, options));
      losses.push(...lossesOf(each as FunctionTool<Context>));
    } else {
      losses.push({
        tool: each.name,
        what: `It is no function tool but of the type ${each.type}, which the SDK or OpenAI runs.`,
      });
    }
  }
  return takenOver(taken, losses);
};

const take = async <Context>(
  each: FunctionTool<Context>,
  options: FromOptions,
): Promise<AnyTool | BridgeLoss> => {
  const { name, description, outputSchema, parameters } = each;
  const requiresApproval = await asksAlways(each);
  const isDecided = requiresApproval || options.about?.[name]?.requiresApproval !== undefined;
  return foreignTool(
    {
      name,
      description,
      input: parameters as never,
      output: outputSchema as never,
      requiresApproval,
      run: (input, context) => invoke(each, input, context, isDecided),
    },
    options,
  );
};

/** Whether it asks for a call without arguments: one that always asks does. */
const asksAlways = async <Context>({ needsApproval }: FunctionTool<Context>): Promise<boolean> => {
  try {
    return await needsApproval(new RunContext(), {} as never, "");
  } catch {
    return false;
  }
};

const invoke = async <Context>(
  each: FunctionTool<Context>,
  input: unknown,
  { callId, env, principal, signal }: CallContext,
  isDecided: boolean,
): Promise<unknown> => {
  const { name } = each;
  const context = new RunContext(env as Context);
  if (!(await each.isEnabled(context, new Agent({ name: principal.agent })))) {
    throw new Error(`${name} is not enabled for this call.`);
  }
  if (!isDecided && (await each.needsApproval(context as never, input as never, callId))) {
    throw new Error(
      `${name} wants a person for this call. Take it over with about: { ${name}: { requiresApproval: true } }.`,
    );
  }
  const text = JSON.stringify(input);
  const toolCall = { type: "function_call", callId, name, arguments: text, status: "completed" } as const;
  return await each.invoke(context, text, { toolCall, signal });
};

const lossesOf = <Context>(each: FunctionTool<Context>): BridgeLoss[] => {
  const { name: tool, errorFunction, inputGuardrails = [], outputGuardrails = [], timeoutMs } = each;
  const unknown = (["deferLoading", "providerData", "allowedCallers", "customDataExtractor"] as const).filter(
    (field) => each[field],
  );
  const told: readonly (readonly [boolean, string])[] = [
    [
      errorFunction !== null,
      "Unless its errorFunction is null, what that makes of a failure counts as a result.",
    ],
    [
      timeoutMs !== undefined && each.timeoutBehavior !== "raise_exception",
      "That it ran out of its own time counts as its result; say about: { timeout } instead.",
    ],
    [
      inputGuardrails.length > 0 || outputGuardrails.length > 0,
      "Its guardrails are run by the SDK's Runner, and not here.",
    ],
    [unknown.length > 0, `Only the SDK knows what to do with ${unknown.join(", ")}.`],
  ];
  return told.flatMap(([isLost, what]) => (isLost ? [{ tool, what }] : []));
};
