import type { Registration } from "../../types/tool.ts";
import { type ArgumentSchema, isOpenObject, itemSchemas, memberSchemas } from "./argument-schema.ts";

/** One tool's schema at the place in its arguments that a part of the condition speaks about. */
export interface ToolArgument {
  readonly tool: string;
  readonly schemas: readonly ArgumentSchema[];
  /** Whether its arguments were validated before policy sees them, so that its schema can be relied on. */
  readonly isValidated: boolean;
}

const inputsCache = new WeakMap<readonly Registration[], readonly ToolArgument[]>();

/** Tools with the same schema are compared once. Many rules are about the same list of tools. */
export const distinctInputs = (tools: readonly Registration[]): readonly ToolArgument[] => {
  const before = inputsCache.get(tools);
  if (before !== undefined) return before;
  const inputs = readInputs(tools);
  inputsCache.set(tools, inputs);
  return inputs;
};

const readInputs = (tools: readonly Registration[]): readonly ToolArgument[] => {
  const seen = new Set<object>();
  const inputs: ToolArgument[] = [];
  for (const { key, tool } of tools) {
    const { input, noSchemaMode, validate } = tool.spec;
    if (seen.has(input)) continue;
    seen.add(input);
    const root = noSchemaMode === undefined ? input : {};
    inputs.push({
      tool: key,
      schemas: [{ root, node: root, isCertain: true }],
      isValidated: validate === "strict" && noSchemaMode === undefined,
    });
  }
  return inputs;
};

const itemsCache = new WeakMap<readonly ToolArgument[], readonly ToolArgument[]>();

/** The items of the lists that the tools take; nothing where one of them takes any. */
export const itemsOf = (tools: readonly ToolArgument[]): readonly ToolArgument[] | undefined => {
  const items =
    itemsCache.get(tools) ?? tools.map((each) => ({ ...each, schemas: each.schemas.flatMap(itemSchemas) }));
  itemsCache.set(tools, items);
  return items.some(({ schemas }) => schemas.length === 0) ? undefined : items;
};

/** What the tools of a list declare together. */
interface ToolArguments {
  /** The tools that have an argument of this name, once one was asked for. */
  readonly byName: Map<string, readonly ToolArgument[]>;
  /** One of them takes other names too. */
  readonly isOpen: boolean;
  /** Conditions on these tools by their text, and whether all tools exclude them. */
  readonly exclusions: Map<string, boolean>;
}

const argumentsCache = new WeakMap<readonly ToolArgument[], ToolArguments>();

export const argumentsOf = (tools: readonly ToolArgument[]): ToolArguments => {
  const before = argumentsCache.get(tools);
  if (before !== undefined) return before;
  const isOpen = tools.some(({ schemas }) => schemas.some(isOpenObject));
  const all = { byName: new Map(), isOpen, exclusions: new Map() };
  argumentsCache.set(tools, all);
  return all;
};

export const toolsWithArgument = (tools: readonly ToolArgument[], name: string): readonly ToolArgument[] => {
  const { byName } = argumentsOf(tools);
  const before = byName.get(name);
  if (before !== undefined) return before;
  const holders: ToolArgument[] = [];
  for (const { tool, isValidated, schemas: own } of tools) {
    const schemas =
      own.length === 1 ? memberSchemas(own[0]!, name) : own.flatMap((each) => memberSchemas(each, name));
    if (schemas.length > 0) holders.push({ tool, isValidated, schemas });
  }
  byName.set(name, holders);
  return holders;
};
