import type { Input as DurationInput } from "effect/Duration";
import type { SchemaSource } from "../base/schema/infer.ts";
import { nearest } from "../base/text/nearest.ts";
import type { CallContext } from "../types/call.ts";
import { ConfigurationError, ToolError } from "../types/errors.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { AnyTool, ReconcileContext, Tool } from "../types/tool.ts";
import { tool } from "./tool.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** Properties of a tool that its framework does not provide. */
export interface ToolOverrides<Input = Readonly<Record<string, unknown>>>
  extends Pick<
    ToolDescription<string, undefined, undefined>,
    | "risk"
    | "annotations"
    | "roles"
    | "tags"
    | "requiresApproval"
    | "timeout"
    | "maxCost"
    | "category"
    | "layers"
  > {
  /**
   * As in `tool`, such as `({ order }) => order`. By default each call has its own key.
   */
  readonly key?:
    | FunctionsOfInput<Input>["key"]
    | {
        readonly of: FunctionsOfInput<Input>["key"];
        readonly scope?: KeyScope;
        readonly retention?: DurationInput;
      };
  /** As in `tool`: determines the outcome of a call with unknown effect. */
  readonly reconcile?: FunctionsOfInput<Input>["reconcile"];
}

type ImportedDescription = Pick<ToolDescription<string, SchemaSource, undefined>, keyof ToolOverrides>;

/** Methods are bivariant, so that callers can declare argument types. */
interface FunctionsOfInput<Input> {
  key(input: Input): string;
  reconcile(
    input: Input,
    context: ReconcileContext,
  ): ReturnType<NonNullable<ToolDescription<string, undefined, undefined>["reconcile"]>>;
}

/** Options for importing tools of another framework. */
export interface ImportToolsOptions<Made extends AnyTool = AnyTool> {
  /** Overrides by tool name, such as `{ send_mail: { risk: "high", annotations: { openWorld: true } } }`. */
  readonly about?: OverridesByName<Made>;
}

type OverridesByName<Made extends AnyTool> = string extends Made["spec"]["name"]
  ? Readonly<Record<string, ToolOverrides>>
  : { readonly [Name in Made["spec"]["name"]]?: ToolOverrides<InputOf<Extract<Made, Named<Name>>>> };

interface Named<Name extends string> {
  readonly spec: { readonly name: Name };
}

type InputOf<Made> = Made extends Tool<string, infer Input, infer _Output, infer _Services> ? Input : never;

/** A feature of a foreign tool that Haft does not have. */
export interface ImportLoss {
  readonly tool: string;
  readonly what: string;
}

/** Imported tools and their losses. */
export interface ImportedTools<Tool extends AnyTool = AnyTool> {
  readonly tools: readonly Tool[];
  readonly losses: readonly ImportLoss[];
}

export interface ExternalTool {
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined if the framework has no schema. */
  readonly input: SchemaSource | undefined;
  readonly output?: SchemaSource | undefined;
  readonly requiresApproval?: boolean | undefined;
  readonly run: (input: unknown, context: CallContext) => unknown;
}

/** Returns why a tool cannot be imported, so that the others are not affected. */
export const importTool = (
  foreign: ExternalTool,
  { about }: { readonly about?: object },
): AnyTool | ImportLoss => {
  const { name, description, input, output, requiresApproval, run } = foreign;
  const overrides = Object.entries(about ?? {}).find(([named]) => named === name)?.[1] as
    | ToolOverrides
    | undefined;
  try {
    return tool({
      name,
      description: description ?? "",
      ...(input === undefined ? { allowNoSchema: true } : { input }),
      ...(output === undefined ? {} : { output }),
      ...(requiresApproval === true ? { requiresApproval } : {}),
      source: "plugin",
      ...(overrides as ImportedDescription | undefined),
      run,
    }) as AnyTool;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { tool: name, what: `Left out: ${error.message}` };
  }
};

/** Refuses an `about` entry for an unknown tool. */
export const toImportedTools = <Made extends AnyTool = AnyTool>(
  made: readonly (AnyTool | ImportLoss)[],
  losses: readonly ImportLoss[],
  { about = {} }: { readonly about?: object },
): ImportedTools<Made> => {
  const all = [...losses, ...made.flatMap((each) => (isTool(each) ? [] : [each]))];
  const tools = made.filter(isTool);
  const names = [...tools.map(({ spec }) => spec.name), ...all.map(({ tool: name }) => name)];
  const unknown = Object.keys(about).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownOverrideError(unknown, names);
  return { tools: tools as readonly AnyTool[] as readonly Made[], losses: all };
};

const unknownOverrideError = (name: string, names: readonly string[]): ConfigurationError => {
  const meant = nearest(name, names);
  const hint =
    meant === undefined ? `The tools are ${names.slice(0, 20).join(", ")}.` : `Did you mean "${meant}"?`;
  return new ConfigurationError(
    "invalid_config",
    `about["${name}"] names none of the tools, so its risk and approval would be lost. ${hint}`,
  );
};

const isTool = (made: AnyTool | ImportLoss): made is AnyTool => "spec" in made;
