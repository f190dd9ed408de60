import { hashJson } from "../../../../json/hash.ts";
import type { RemoteTool } from "../../../../words/mcp.ts";
import { uiOf } from "../../to-tool/ui-of.ts";

const most = 10_000;

/** What a tool was when it was first seen in this process, for servers that no lockfile speaks of. */
export interface SessionPins {
  /** Says what is against this definition. One that somebody reviewed is pinned from now on. */
  readonly check: (name: string, hash: string, isReviewed: boolean) => string | undefined;
}

export const sessionPins = (): SessionPins => {
  const pins = new Map<string, string>();
  return {
    check: (name, hash, isReviewed) => {
      const pinned = pins.get(name);
      if (pinned === hash) return undefined;
      if (pinned === undefined && pins.size >= most)
        return `the server has shown ${most} tools under ever new names`;
      if (pinned === undefined || isReviewed) {
        pins.set(name, hash);
        return undefined;
      }
      return "its definition is another than when it was first listed";
    },
  };
};

/** Everything in a definition that a model or an operator goes by. Throws for what has no canonical form. */
export const definitionHash = (tool: RemoteTool): string => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations, ui: uiOf(tool) });
};
