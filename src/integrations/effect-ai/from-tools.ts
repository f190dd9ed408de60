import * as Tool from "effect/ai/Tool";
import type * as Toolkit from "effect/ai/Toolkit";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { CallContext } from "../../words/call.ts";
import { ToolExecutionError } from "../../words/errors.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { Annotations } from "../../words/spec.ts";
import type { AnyTool } from "../../words/tool.ts";
import {
  type BridgeLoss,
  type ForeignTools,
  type FromOptions,
  foreignTool,
  takenOver,
} from "../foreign-tool.ts";

type Tools = Record<string, Tool.Any>;

/**
 * Tools of a toolkit of `effect/ai`, with its handlers (`yield* toolkit`), as tools of Haft with policy, ledger and
 * approval. `losses` names what they cannot keep.
 */
export const fromEffectAiTools = <T extends Tools>(
  toolkit: Toolkit.WithHandler<T>,
  options: FromOptions = {},
): ForeignTools => {
  const losses: BridgeLoss[] = [];
  const made = Object.values<Tool.Any>(toolkit.tools).flatMap((tool): readonly (AnyTool | BridgeLoss)[] => {
    const { name, description, needsApproval } = tool;
    for (const what of lossesOf(tool)) losses.push({ tool: name, what });
    if (isProviders(tool)) return [];
    return [
      foreignTool(
        {
          name,
          description: description ?? name,
          input: inputOf(tool),
          output: outputOf(tool),
          requiresApproval: needsApproval !== undefined && needsApproval !== false,
          run: (input, context) => runOf(toolkit as never, name, input, context),
        },
        { about: { [name]: { annotations: annotationsOf(tool), ...options.about?.[name] } } },
      ),
    ];
  });
  return takenOver(made, losses);
};

const isProviders = (tool: Tool.Any): boolean => Tool.isProviderDefined(tool) && !tool.requiresHandler;

const lossesOf = (tool: Tool.Any): readonly string[] => {
  if (isProviders(tool)) return ["Left out: its provider runs it, and Haft never sees the call."];
  const had: Record<string, boolean> = {
    "It takes anything, so nobody can validate its calls: each waits for a person.":
      inputOf(tool) === undefined,
    "`needsApproval` is a function: here every call of it waits for a person.":
      typeof tool.needsApproval === "function",
    "`toModelOutput` is not used: the model reads the result as JSON.": tool.toModelOutput !== undefined,
    "Its typed failures become words.": tool.failureSchema.ast._tag !== "Never",
    "It has no description: the model reads its name instead.": tool.description === undefined,
    "Its arguments for the provider are not sent: it is a tool like any other here.":
      Tool.isProviderDefined(tool),
  };
  return Object.keys(had).filter((what) => had[what]);
};

/** Toolkits decode what they are given, so a call is validated by the schema of what comes in, and handed on as it is. */
const inputOf = (tool: Tool.Any): JsonSchema | undefined => {
  const schema = Tool.getJsonSchema(tool) as JsonSchema;
  return schema.type === "object" ? schema : undefined;
};

const anything: ReadonlySet<string> = new Set(["Void", "Unknown", "Any", "Undefined"]);

const outputOf = ({ successSchema }: Tool.Any): JsonSchema | undefined =>
  anything.has(successSchema.ast._tag)
    ? undefined
    : (Tool.getJsonSchemaFromSchema(successSchema) as JsonSchema);

/** Only what its author said: what Effect takes for granted of a tool is not what Haft does. */
const annotationsOf = ({ annotations }: Tool.Any): Annotations => {
  const said = ({ key }: { readonly key: string }): unknown => annotations.mapUnsafe.get(key);
  const all = {
    title: said(Tool.Title),
    readOnly: said(Tool.Readonly),
    destructive: said(Tool.Destructive),
    idempotent: said(Tool.Idempotent),
    openWorld: said(Tool.OpenWorld),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

/** Preliminary results are progress, and the last one is the value. */
const runOf = (
  toolkit: Toolkit.WithHandler<Record<string, Tool.Tool<string, never>>>,
  name: string,
  input: unknown,
  { callId, progress }: CallContext,
): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    let value: unknown;
    const results = yield* toolkit.handle(name, input as never, callId);
    yield* Stream.runForEach(results, ({ encodedResult, isFailure, preliminary }) => {
      if (isFailure)
        return Effect.fail(new ToolExecutionError("failed", toWords(encodedResult), { tool: name }));
      if (preliminary) progress(encodedResult);
      else value = encodedResult;
      return Effect.void;
    });
    return value;
  });

const toWords = (failure: unknown): string =>
  typeof failure === "string" ? failure : JSON.stringify(failure);
