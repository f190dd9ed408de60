import type { Input as DurationInput } from "effect/Duration";
import type { SchemaSource } from "../base/schema/infer.ts";
import { nearest } from "../base/text/nearest.ts";
import type { CallContext } from "../types/call.ts";
import { ConfigurationError, ToolError } from "../types/errors.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { AnyTool, ReconcileContext } from "../types/tool.ts";
import { tool } from "./tool.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** Properties of a tool that its framework does not provide. */
export interface ToolOverrides
  extends Pick<
    ToolDescription<string, undefined, undefined>,
    "risk" | "annotations" | "tags" | "requiresApproval" | "timeout" | "maxCost" | "category" | "layers"
  > {
  /**
   * As in `tool`, such as `({ order }: { order: string }) => order`. By default each call has its own key.
   */
  readonly key?:
    | FunctionsOfArguments["key"]
    | {
        readonly of: FunctionsOfArguments["key"];
        readonly scope?: KeyScope;
        readonly retention?: DurationInput;
      };
  /** As in `tool`: determines the outcome of a call with unknown effect. */
  readonly reconcile?: FunctionsOfArguments["reconcile"];
}

type ImportedDescription = Pick<ToolDescription<string, SchemaSource, undefined>, keyof ToolOverrides>;

/** Methods are bivariant, so that callers can declare argument types. */
interface FunctionsOfArguments {
  key(input: Readonly<Record<string, unknown>>): string;
  reconcile(
    input: Readonly<Record<string, unknown>>,
    context: ReconcileContext,
  ): ReturnType<NonNullable<ToolDescription<string, undefined, undefined>["reconcile"]>>;
}

/** Options for importing tools of another framework. */
export interface ImportToolsOptions {
  /** Overrides by tool name, such as `{ send_mail: { risk: "high", annotations: { openWorld: true } } }`. */
  readonly about?: Readonly<Record<string, ToolOverrides>>;
}

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
export const importTool = (foreign: ExternalTool, { about }: ImportToolsOptions): AnyTool | ImportLoss => {
  const { name, description, input, output, requiresApproval, run } = foreign;
  const overrides = about !== undefined && Object.hasOwn(about, name) ? about[name] : undefined;
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
  { about = {} }: ImportToolsOptions,
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
