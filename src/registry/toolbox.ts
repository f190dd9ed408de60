import { checkToolName, confusableKey } from "../tools/tool-name.ts";
import { ToolDefinitionError, ToolRegistrationError } from "../types/errors.ts";
import type { AnyTool } from "../types/tool.ts";

export type Toolbox = ReadonlyMap<string, AnyTool>;

export interface ToolboxDraft {
  readonly add: (tool: AnyTool) => void;
  readonly build: () => Toolbox;
}

export const toolboxDraft = (namespace: string): ToolboxDraft => {
  checkNamespace(namespace);
  const tools = new Map<string, AnyTool>();
  const lookalikes = new Map<string, string>();
  return {
    add: (tool) => {
      const { name } = tool.spec;
      checkToolName(name);
      if (tools.has(name)) {
        throw new ToolRegistrationError(
          "duplicate_tool",
          `The toolbox "${namespace}" already has a tool named "${name}". Rename one with withName().`,
          { tool: `${namespace}/${name}` },
        );
      }
      const looks = confusableKey(name);
      const similarName = lookalikes.get(looks);
      if (similarName !== undefined)
        throw lookalikeError(`${namespace}/${name}`, `${namespace}/${similarName}`);
      tools.set(name, tool);
      lookalikes.set(looks, name);
    },
    build: () => new Map(tools),
  };
};

export const checkNamespace = (namespace: string): void => {
  try {
    checkToolName(namespace);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolDefinitionError(
      "refused_name",
      `${JSON.stringify(namespace)} is not a valid namespace, which must be one segment of a full name: ${why}`,
      { cause },
    );
  }
};

export const lookalikeError = (name: string, other: string): ToolDefinitionError =>
  new ToolDefinitionError(
    "refused_name",
    `The name "${name}" is refused: it can be mistaken for "${other}", which is already taken.`,
    { tool: name },
  );
