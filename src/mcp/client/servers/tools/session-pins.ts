import { hashJson } from "../../../../base/json/hash.ts";
import type { RemoteTool } from "../../../../types/mcp.ts";
import { appMetaOf } from "../../to-tool/mcp-app.ts";

const maxPins = 10_000;

/** First hash of each tool in this process, for servers without a lockfile. */
export interface SessionPins {
  /** A reviewed definition replaces the pin. */
  readonly check: (name: string, hash: string, isReviewed: boolean) => string | undefined;
}

export const createSessionPins = (): SessionPins => {
  const pins = new Map<string, string>();
  return {
    check: (name, hash, isReviewed) => {
      const pinned = pins.get(name);
      if (pinned === hash) return undefined;
      if (pinned === undefined && pins.size >= maxPins)
        return `the server has listed more than ${maxPins} different tool names`;
      if (pinned === undefined || isReviewed) {
        pins.set(name, hash);
        return undefined;
      }
      return "its definition has changed since it was first listed";
    },
  };
};

export const hashToolDefinition = (tool: RemoteTool): string => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations, ui: appMetaOf(tool) });
};
