import * as Tool from "effect/ai/Tool";
import type * as Toolkit from "effect/ai/Toolkit";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import {
  type ImportedTools,
  type ImportLoss,
  type ImportToolsOptions,
  importTool,
  toImportedTools,
} from "../../tools/import-tool.ts";
import type { CallContext } from "../../types/call.ts";
import { ToolExecutionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Annotations, AnyTool, Tool as HaftTool } from "../../types/tool.ts";

type Tools = Record<string, Tool.Any>;

/**
 * The idempotency key of the call whose handler runs: the same for every attempt, and undefined outside of
 * Haft.
 */
export const IdempotencyKey: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "haft/IdempotencyKey",
  { defaultValue: () => undefined },
);

/** The imported tools with their names and types in the toolkit. */
export type FromEffectAiTools<T extends Tools> = {
  [Name in keyof T & string]: HaftTool<
    Name,
    Tool.ParametersEncoded<T[Name]>,
    Tool.SuccessEncoded<T[Name]>,
    never
  >;
}[keyof T & string];

/**
 * Imports the tools of an `effect/ai` toolkit with its handlers (`yield* toolkit`). `losses` lists what
 * cannot be kept.
 */
export const fromEffectAiTools = <T extends Tools>(
  toolkit: Toolkit.WithHandler<T>,
  options: ImportToolsOptions<FromEffectAiTools<T>> = {},
): ImportedTools<FromEffectAiTools<T>> => {
  const losses: ImportLoss[] = [];
  const imported = Object.values<Tool.Any>(toolkit.tools).flatMap(
    (tool): readonly (AnyTool | ImportLoss)[] => {
      const { name, description, needsApproval } = tool;
      for (const what of lossesOf(tool)) losses.push({ tool: name, what });
      if (isRunByProvider(tool)) return [];
      return [
        importTool(
          {
            name,
            description: description ?? name,
            input: inputOf(tool),
            output: outputOf(tool),
            requiresApproval: needsApproval !== undefined && needsApproval !== false,
            run: (input, context) => runToolkitTool(toolkit as never, name, input, context),
          },
          {
            about: {
              [name]: { annotations: annotationsOf(tool), ...(options as ImportToolsOptions).about?.[name] },
            },
          },
        ),
      ];
    },
  );
  return toImportedTools(imported, losses, options);
};

const isRunByProvider = (tool: Tool.Any): boolean => Tool.isProviderDefined(tool) && !tool.requiresHandler;

const lossesOf = (tool: Tool.Any): readonly string[] => {
  if (isRunByProvider(tool)) return ["Left out: its provider runs it, and Haft never sees the call."];
  const lossConditions: Record<string, boolean> = {
    "It accepts any arguments, so its calls cannot be validated: each requires approval.":
      inputOf(tool) === undefined,
    "`needsApproval` is a function: here every call requires approval.":
      typeof tool.needsApproval === "function",
    "`toModelOutput` is not used: the model reads the result as JSON.": tool.toModelOutput !== undefined,
    "Its typed failures become text.": tool.failureSchema.ast._tag !== "Never",
    "It has no description: the model reads its name instead.": tool.description === undefined,
    "Its arguments for the provider are not sent: here it is an ordinary tool.": Tool.isProviderDefined(tool),
  };
  return Object.keys(lossConditions).filter((what) => lossConditions[what]);
};

/** A toolkit decodes its input, so Haft validates the encoded form. */
const inputOf = (tool: Tool.Any): JsonSchema | undefined => {
  const schema = Tool.getJsonSchema(tool) as JsonSchema;
  return schema.type === "object" ? schema : undefined;
};

const untypedSchemaTags: ReadonlySet<string> = new Set(["Void", "Unknown", "Any", "Undefined"]);

const outputOf = ({ successSchema }: Tool.Any): JsonSchema | undefined =>
  untypedSchemaTags.has(successSchema.ast._tag)
    ? undefined
    : (Tool.getJsonSchemaFromSchema(successSchema) as JsonSchema);

/** Explicit annotations only: Effect's defaults differ from Haft's. */
const annotationsOf = ({ annotations }: Tool.Any): Annotations => {
  const annotationOf = ({ key }: { readonly key: string }): unknown => annotations.mapUnsafe.get(key);
  const all = {
    title: annotationOf(Tool.Title),
    readOnly: annotationOf(Tool.Readonly),
    destructive: annotationOf(Tool.Destructive),
    idempotent: annotationOf(Tool.Idempotent),
    openWorld: annotationOf(Tool.OpenWorld),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

const runToolkitTool = (
  toolkit: Toolkit.WithHandler<Record<string, Tool.Tool<string, never>>>,
  name: string,
  input: unknown,
  { callId, idempotencyKey, progress }: CallContext,
): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    let value: unknown;
    const results = yield* toolkit.handle(name, input as never, callId);
    yield* Stream.runForEach(results, ({ encodedResult, isFailure, preliminary }) => {
      if (isFailure)
        return Effect.fail(new ToolExecutionError("failed", toFailureText(encodedResult), { tool: name }));
      if (preliminary) progress(encodedResult);
      else value = encodedResult;
      return Effect.void;
    });
    return value;
  }).pipe(Effect.provideService(IdempotencyKey, idempotencyKey));

const toFailureText = (failure: unknown): string =>
  typeof failure === "string" ? failure : JSON.stringify(failure);
