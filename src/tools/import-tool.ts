import type { Input as DurationInput } from "effect/Duration";
import type { SchemaSource } from "../base/schema/infer.ts";
import { nearest } from "../base/text/nearest.ts";
import type { CallContext } from "../types/call.ts";
import { ConfigurationError, ToolError } from "../types/errors.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { AnyTool, ReconcileContext } from "../types/tool.ts";
import { tool } from "./tool.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** What Haft wants to know of a tool and its framework does not say. */
export interface ToolOverrides
  extends Pick<
    ToolDescription<string, undefined, undefined>,
    "risk" | "annotations" | "tags" | "requiresApproval" | "timeout" | "maxCost" | "category" | "layers"
  > {
  /** As of `tool`: `({ order }: { order: string }) => order`. Unless set: each call has its own effect. */
  readonly key?:
    | FunctionsOfArguments["key"]
    | {
        readonly of: FunctionsOfArguments["key"];
        readonly scope?: KeyScope;
        readonly retention?: DurationInput;
      };
  /** As of `tool`: finds out what became of a call whose effect is unknown. */
  readonly reconcile?: FunctionsOfArguments["reconcile"];
}

/** The same for `tool`, which takes the arguments as a schema has them. */
type ImportedDescription = Pick<ToolDescription<string, SchemaSource, undefined>, keyof ToolOverrides>;

/** Methods, so that a function may declare the arguments of its tool: their types are not known here. */
interface FunctionsOfArguments {
  key(input: Readonly<Record<string, unknown>>): string;
  reconcile(
    input: Readonly<Record<string, unknown>>,
    context: ReconcileContext,
  ): ReturnType<NonNullable<ToolDescription<string, undefined, undefined>["reconcile"]>>;
}

/** How tools of another framework are taken over. */
export interface ImportToolsOptions {
  /** By the tool's name, such as `{ send_mail: { risk: "high", annotations: { openWorld: true } } }`. Unless set: nothing. */
  readonly about?: Readonly<Record<string, ToolOverrides>>;
}

/** Something that a tool has in its framework and not in Haft. */
export interface ImportLoss {
  readonly tool: string;
  readonly what: string;
}

/** Imported tools, and what could not be imported. */
export interface ImportedTools<Tool extends AnyTool = AnyTool> {
  readonly tools: readonly Tool[];
  readonly losses: readonly ImportLoss[];
}

/** A tool of another framework, as far as it can be had. */
export interface ExternalTool {
  readonly name: string;
  readonly description: string | undefined;
  /** A JSON Schema or a schema of a library; nothing where the framework has none. */
  readonly input: SchemaSource | undefined;
  readonly output?: SchemaSource | undefined;
  readonly requiresApproval?: boolean | undefined;
  readonly run: (input: unknown, context: CallContext) => unknown;
}

/**
 * A Haft tool over a framework's own code, or why there is none: one tool that cannot be had does not keep the others away.
 * What `about` says wins over what the framework does.
 */
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

/** The imported tools and their losses. Refuses an `about` entry that names none of the tools. */
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
