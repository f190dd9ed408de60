import type { Registration } from "../../types/tool.ts";
import { type ArgumentSchema, isOpenObject, itemSchemas, memberSchemas } from "./argument-schema.ts";

export interface ToolArgument {
  readonly tool: string;
  readonly schemas: readonly ArgumentSchema[];
  /** The schema is reliable only if arguments are validated. */
  readonly isValidated: boolean;
}

const inputsCache = new WeakMap<readonly Registration[], readonly ToolArgument[]>();

/** Cached, because many rules share a list of tools. */
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

/** Undefined if one tool accepts any items. */
export const itemsOf = (tools: readonly ToolArgument[]): readonly ToolArgument[] | undefined => {
  const items =
    itemsCache.get(tools) ?? tools.map((each) => ({ ...each, schemas: each.schemas.flatMap(itemSchemas) }));
  itemsCache.set(tools, items);
  return items.some(({ schemas }) => schemas.length === 0) ? undefined : items;
};

interface ToolArguments {
  /** Cache. */
  readonly byName: Map<string, readonly ToolArgument[]>;
  readonly isOpen: boolean;
  /** Whether all tools exclude a condition, by its text. */
  readonly exclusions: Map<string, boolean>;
}

const argumentsCache = new WeakMap<readonly ToolArgument[], ToolArguments>();

export const findToolArguments = (tools: readonly ToolArgument[]): ToolArguments => {
  const before = argumentsCache.get(tools);
  if (before !== undefined) return before;
  const isOpen = tools.some(({ schemas }) => schemas.some(isOpenObject));
  const all = { byName: new Map(), isOpen, exclusions: new Map() };
  argumentsCache.set(tools, all);
  return all;
};

export const toolsWithArgument = (tools: readonly ToolArgument[], name: string): readonly ToolArgument[] => {
  const { byName } = findToolArguments(tools);
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
