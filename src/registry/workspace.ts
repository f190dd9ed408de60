import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import type { ServicesOf } from "../tools/tool-definition.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { AnyTool } from "../types/tool.ts";
import { type Toolbox, type ToolboxDraft, toolboxDraft } from "./toolbox.ts";

/** Toolboxes by namespace, of a project or an organization. `R` is what their tools require. */
export interface Workspace<out R = unknown> {
  readonly toolboxes: ReadonlyMap<string, Toolbox>;
  /** Carries the type; never present at run time. */
  readonly requires?: R;
}

/** Collects tools by namespace. Made by `workspace()`. */
export interface WorkspaceBuilder<out R = never> {
  /** Opens a namespace, or continues one that was opened before. */
  readonly toolbox: (namespace: string) => ToolboxBuilder<R>;
  /** Returns the tools that were added so far. The builder can be used further. */
  readonly build: () => Workspace<R>;
}

/** A namespace in the builder of a workspace. */
export interface ToolboxBuilder<out R = never> extends WorkspaceBuilder<R> {
  readonly add: <const Tools extends readonly ToolOrClass[]>(
    ...tools: Tools
  ) => ToolboxBuilder<R | ServicesOf<Tools[number]>>;
}

const readTool = (given: ToolOrClass, namespace: string): AnyTool => {
  const made = toTool(given) ?? (given as Partial<AnyTool> | null | undefined);
  if (made?.spec !== undefined && made.implementation !== undefined) return made as AnyTool;
  throw new ToolDefinitionError(
    "invalid_definition",
    `The toolbox "${namespace}" accepts only tools from tool(), http() or fromFunction(), and classes with @Tool.`,
  );
};

/**
 * Starts a workspace: `workspace().toolbox("shop").add(refund).build()`. Its tools are named `shop/refund`.
 */
export const workspace = (): WorkspaceBuilder => {
  const drafts = new Map<string, ToolboxDraft>();

  const open = (namespace: string): ToolboxBuilder<never> => {
    const draft = drafts.get(namespace) ?? toolboxDraft(namespace);
    drafts.set(namespace, draft);
    const builder: ToolboxBuilder<never> = Object.freeze({
      toolbox: open,
      build,
      add: (...tools: readonly ToolOrClass[]) => {
        for (const tool of tools) draft.add(readTool(tool, namespace));
        // The same object, with a wider type.
        return builder as never;
      },
    });
    return builder;
  };

  const build = (): Workspace<never> =>
    Object.freeze({
      toolboxes: new Map([...drafts].map(([namespace, draft]) => [namespace, draft.build()])),
    });

  return Object.freeze({ toolbox: open, build });
};
