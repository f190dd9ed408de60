import type { AnyTool } from "../words/tool.ts";
import { type Toolbox, type ToolboxDraft, toolboxDraft } from "./toolbox.ts";

/** Toolboxes by namespace, as a project or an organization brings them. */
export interface Workspace {
  readonly toolboxes: ReadonlyMap<string, Toolbox>;
}

export interface WorkspaceBuilder {
  /** Opens a namespace, or goes on with one that was opened before. */
  readonly toolbox: (namespace: string) => ToolboxBuilder;
  /** What was added so far; the builder can go on without changing it. */
  readonly build: () => Workspace;
}

export interface ToolboxBuilder extends WorkspaceBuilder {
  readonly add: (...tools: readonly AnyTool[]) => ToolboxBuilder;
}

export const workspace = (): WorkspaceBuilder => {
  const drafts = new Map<string, ToolboxDraft>();

  const open = (namespace: string): ToolboxBuilder => {
    const draft = drafts.get(namespace) ?? toolboxDraft(namespace);
    drafts.set(namespace, draft);
    const builder: ToolboxBuilder = Object.freeze({
      toolbox: open,
      build,
      add: (...tools: readonly AnyTool[]) => {
        for (const tool of tools) draft.add(tool);
        return builder;
      },
    });
    return builder;
  };

  const build = (): Workspace =>
    Object.freeze({
      toolboxes: new Map([...drafts].map(([namespace, draft]) => [namespace, draft.build()])),
    });

  return Object.freeze({ toolbox: open, build });
};
