import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import { definitionHasher, definitionOf, lockedDefinitionOf } from "./definition.ts";
import { findDifferingPointers } from "./differing-pointers.ts";
import { createFormerNameFinder } from "./find-former-name.ts";
import { launchOf } from "./launch.ts";
import { type LockedDefinition, type LockedServer, type LockedTool, ownValue } from "./lock.ts";
import type { PageHashesByTool } from "./lock-server.ts";

export type ReviewStatus =
  | { readonly kind: "same"; readonly locked: LockedTool }
  | { readonly kind: "added" }
  | { readonly kind: "changed"; readonly locked: LockedTool; readonly pointers: readonly string[] }
  | { readonly kind: "renamed"; readonly locked: LockedTool; readonly from: string }
  | { readonly kind: "twice" }
  | { readonly kind: "unreadable"; readonly problem: string };

export const findRepeatedNames = (tools: readonly RemoteTool[]): ReadonlySet<string> => {
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const { name } of tools) (once.has(name) ? twice : once).add(name);
  return twice;
};

export const withPageHash = (definition: LockedDefinition, uiHash: string | undefined): LockedDefinition =>
  uiHash === undefined ? definition : { ...definition, uiHash };

/** Never throws, because definitions are untrusted. */
export const reviewStatusesOf = (
  server: NamedMcpServer,
  locked: LockedServer | undefined,
  tools: readonly RemoteTool[],
  pages?: PageHashesByTool,
): readonly ReviewStatus[] => {
  const repeated = findRepeatedNames(tools);
  const names = new Set(tools.map(({ name }) => name));
  // A changed launch is checked separately.
  const hash = definitionHasher(server.id, locked?.launch ?? launchOf(server));
  const gone = Object.entries(locked?.tools ?? {}).filter(([name]) => !names.has(name));
  const formerName = createFormerNameFinder(gone.map(([name, tool]) => lockedDefinitionOf(name, tool)));
  return tools.map((tool): ReviewStatus => {
    if (repeated.has(tool.name)) return { kind: "twice" };
    const before = locked === undefined ? undefined : ownValue(locked.tools, tool.name);
    try {
      const uiHash = pages === undefined ? before?.uiHash : pages.get(tool.name);
      const definition = withPageHash(definitionOf(tool.name, tool), uiHash);
      if (before !== undefined && hash(definition) === before.hash && uiHash === before.uiHash)
        return { kind: "same", locked: before };
      if (before !== undefined) {
        const pointers = findDifferingPointers(lockedDefinitionOf(tool.name, before), definition);
        return { kind: "changed", locked: before, pointers };
      }
      const from = formerName(definition);
      if (from === undefined) return { kind: "added" };
      return { kind: "renamed", locked: locked!.tools[from]!, from };
    } catch (error) {
      return { kind: "unreadable", problem: error instanceof Error ? error.message : "it is no JSON." };
    }
  });
};
