import type { ToolsInput } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { standardSchemaToJSONSchema, toStandardSchema } from "@mastra/core/schema";
import {
  isProviderDefinedTool,
  isValidationError,
  isVercelTool,
  noopObserve,
  type ToolAction,
  ToolStream,
} from "@mastra/core/tools";
import type { CallContext } from "../../words/call.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { AnyTool } from "../../words/tool.ts";
import {
  type BridgeLoss,
  type ForeignTools,
  type FromOptions,
  foreignTool,
  takenOver,
} from "../foreign-tool.ts";

type Taken = ToolAction<unknown, unknown>;

/** Tools of Mastra as Haft tools, under the names that an agent's model knows them by. A `RequestContext` is `env` of the call. */
export const fromMastraTools = (tools: Readonly<ToolsInput>, options: FromOptions = {}): ForeignTools => {
  const taken: (AnyTool | BridgeLoss)[] = [];
  const losses: BridgeLoss[] = [];
  for (const [name, each] of Object.entries(tools)) {
    const reason = whyNot(each);
    if (reason === undefined) {
      taken.push(take(name, each as Taken, options));
      losses.push(...lossesOf(name, each as Taken));
    } else {
      losses.push({ tool: name, what: reason });
    }
  }
  return takenOver(taken, losses);
};

const whyNot = (each: ToolsInput[string]): string | undefined => {
  if (isProviderDefinedTool(each)) return "Its provider runs it: there is no code to take over.";
  if (isVercelTool(each as never)) return "It is a tool of the AI SDK: fromAiSdkTools takes it over.";
  if (typeof (each as Partial<Taken>).execute !== "function") return "It has no code here: a client runs it.";
  return undefined;
};

const take = (name: string, each: Taken, options: FromOptions): AnyTool | BridgeLoss =>
  foreignTool(
    {
      name,
      description: each.description,
      // Where there is none, Mastra shows the model that there are no arguments.
      input: toJsonSchema(each.inputSchema, "input") ?? { type: "object", properties: {} },
      output: toJsonSchema(each.outputSchema, "output"),
      requiresApproval: Boolean(each.requireApproval),
      run: (input, context) => execute(name, each, input, context),
    },
    options,
  );

const toJsonSchema = (schema: Taken["inputSchema"], io: "input" | "output"): JsonSchema | undefined =>
  schema === undefined
    ? undefined
    : (standardSchemaToJSONSchema(toStandardSchema(schema), { io }) as JsonSchema);

const execute = async (
  name: string,
  each: Taken,
  input: unknown,
  { callId, env, progress, signal }: CallContext,
): Promise<unknown> => {
  const suspend = () => Promise.reject(new Error(`${name} wants to suspend, and cannot be resumed here.`));
  const answer = await each.execute?.(input, {
    abortSignal: signal,
    requestContext: env instanceof RequestContext ? env : new RequestContext(),
    writer: new ToolStream({ prefix: "tool", callId, name, runId: callId }, async (chunk) => progress(chunk)),
    observe: noopObserve,
    suspend,
  });
  // Mastra gives back what does not fit a schema as if it were a result.
  if (isValidationError(answer)) throw new Error(answer.message);
  return answer;
};

const hooks = ["onInputStart", "onInputDelta", "onInputAvailable", "onOutput"] as const;
const others = ["transform", "providerOptions", "background", "mcp"] as const;

const lossesOf = (tool: string, each: Taken): BridgeLoss[] => {
  const heard = hooks.filter((field) => each[field] !== undefined);
  const unknown = others.filter((field) => each[field] !== undefined);
  const told: readonly (readonly [boolean, string])[] = [
    [
      typeof each.requireApproval === "function",
      "Its own requireApproval is not asked: every call needs a person.",
    ],
    [each.toModelOutput !== undefined, "Its toModelOutput is not asked: the model reads its result as JSON."],
    [each.suspendSchema !== undefined, "A call in which it suspends by itself fails."],
    [heard.length > 0, `Nobody calls its ${heard.join(", ")}.`],
    [unknown.length > 0, `Only Mastra knows what to do with ${unknown.join(", ")}.`],
  ];
  return told.flatMap(([isLost, what]) => (isLost ? [{ tool, what }] : []));
};
