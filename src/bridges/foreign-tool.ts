import type { SchemaSource } from "../schema/infer.ts";
import type { ToolDescription } from "../tool/definition.ts";
import { tool } from "../tool/tool.ts";
import type { CallContext } from "../words/call.ts";
import { ToolError } from "../words/errors.ts";
import type { AnyTool } from "../words/tool.ts";

/** What Haft wants to know of a tool and its framework does not say. */
export type AboutTool = Pick<
  ToolDescription<string, undefined, undefined>,
  "risk" | "annotations" | "tags" | "requiresApproval" | "timeout" | "maxCost" | "category" | "layers"
>;

/** How tools of another framework are taken over. */
export interface FromOptions {
  /** By the tool's name, such as `{ send_mail: { risk: "high", annotations: { openWorld: true } } }`. Unless set: nothing. */
  readonly about?: Readonly<Record<string, AboutTool>>;
}

/** Something that a tool has in its framework and not in Haft. */
export interface BridgeLoss {
  readonly tool: string;
  readonly what: string;
}

/** Tools that were taken over, and what was not. */
export interface ForeignTools {
  readonly tools: readonly AnyTool[];
  readonly losses: readonly BridgeLoss[];
}

/** A tool of another framework, as far as it can be had. */
export interface ForeignTool {
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
export const foreignTool = (foreign: ForeignTool, { about }: FromOptions): AnyTool | BridgeLoss => {
  const { name, description, input, output, requiresApproval, run } = foreign;
  const said = about !== undefined && Object.hasOwn(about, name) ? about[name] : undefined;
  try {
    return tool({
      name,
      description: description ?? "",
      ...(input === undefined ? { allowNoSchema: true } : { input }),
      ...(output === undefined ? {} : { output }),
      ...(requiresApproval === true ? { requiresApproval } : {}),
      source: "plugin",
      ...said,
      run,
    }) as AnyTool;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { tool: name, what: `Left out: ${error.message}` };
  }
};

/** What was taken over, and what was lost of it or with it. */
export const takenOver = (
  made: readonly (AnyTool | BridgeLoss)[],
  losses: readonly BridgeLoss[],
): ForeignTools => ({
  tools: made.filter(isTool),
  losses: [...losses, ...made.flatMap((each) => (isTool(each) ? [] : [each]))],
});

const isTool = (made: AnyTool | BridgeLoss): made is AnyTool => "spec" in made;
