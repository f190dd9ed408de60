import { canonicalJson, hashText } from "../../base/json/canonical-json.ts";
import { isObject, toPointer } from "../../base/json/json-value.ts";
import { shown } from "../../base/text/visible.ts";
import type { RemoteTool } from "../../types/mcp.ts";
import { appMetaOf } from "../client/to-tool/tool-link.ts";
import type { Launch, LockedDefinition, LockedTool } from "./lock.ts";

/**
 * Icons, `execution` and other `_meta` depend on the protocol era; they are not reviewed, and the gateway
 * drops them.
 */
export const definitionOf = (name: string, tool: RemoteTool): LockedDefinition =>
  toLockedDefinition(name, tool, appMetaOf(tool));

export const lockedDefinitionOf = (name: string, tool: LockedTool): LockedDefinition => {
  const { ui, uiHash } = tool;
  const definition = toLockedDefinition(name, tool, ui);
  return uiHash === undefined ? definition : { ...definition, uiHash };
};

const toLockedDefinition = (
  name: string,
  tool: RemoteTool | LockedTool,
  ui: LockedDefinition["ui"],
): LockedDefinition => {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ui === undefined ? {} : { ui }),
  };
};

export type DefinitionHash = (definition: LockedDefinition) => string;

export const definitionHasher = (id: string, launch: Launch): DefinitionHash => {
  const head = `{"server":${canonicalJson({ id, launch })},"tool":`;
  // The page is checked later.
  return ({ uiHash: _, ...definition }) => `sha256:${hashText(`${head}${canonicalJson(definition)}}`)}`;
};

/** For finding renamed tools. */
export const namelessText = (definition: LockedDefinition): string =>
  canonicalJson({ ...definition, name: "" });

type DifferencePath = readonly (string | number)[];
const collectDifferences = (
  one: unknown,
  other: unknown,
  path: DifferencePath,
  found: string[],
  most: number,
): void => {
  if (found.length > most) return;
  if (isObject(one) && isObject(other)) {
    for (const key of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()) {
      const [left, right] = [
        Object.hasOwn(one, key) ? one[key] : undefined,
        Object.hasOwn(other, key) ? other[key] : undefined,
      ];
      collectDifferences(left, right, [...path, key], found, most);
    }
  } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (let at = 0; at < one.length; at++)
      collectDifferences(one[at], other[at], [...path, at], found, most);
  } else if (one === undefined || other === undefined) {
    if (one !== other) found.push(toPointer(path));
  } else if (canonicalJson(one) !== canonicalJson(other)) found.push(toPointer(path));
};

/** Returns up to `most` + 1 pointers. */
export const findDifferingPointers = (one: unknown, other: unknown, most = 100): readonly string[] => {
  const found: string[] = [];
  collectDifferences(one, other, [], found, most);
  return found;
};

export const toPointersText = (pointers: readonly string[], most = 3): string => {
  const some = pointers.slice(0, most).map((pointer) => shown(pointer, 60));
  const left = pointers.length - some.length;
  return `${some.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
};
