import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import {
  definitionHasher,
  definitionOf,
  findDifferingPointers,
  lockedDefinitionOf,
  namelessText,
} from "./definition.ts";
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
      return { kind: "unreadable", problem: error instanceof Error ? error.message : "it is not JSON." };
    }
  });
};

interface DefinitionWords {
  readonly name: string;
  readonly text: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

const minSimilarity = 0.85;
/** The server decides how many tools change, so comparisons are limited. */
const maxComparedPairs = 2_000;
const maxComparedLength = 20_000;

const wordsOf = (definition: LockedDefinition): DefinitionWords => {
  const text = namelessText(definition);
  const counts = new Map<string, number>();
  let total = 0;
  for (const word of text.slice(0, maxComparedLength).match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  return { name: definition.name, text, counts, total };
};

/** Dice coefficient. */
const similarity = (one: DefinitionWords, other: DefinitionWords): number => {
  let shared = 0;
  for (const [word, count] of one.counts) shared += Math.min(count, other.counts.get(word) ?? 0);
  return (2 * shared) / Math.max(1, one.total + other.total);
};

const createFormerNameFinder = (
  removed: readonly LockedDefinition[],
): ((definition: LockedDefinition) => string | undefined) => {
  let before: readonly DefinitionWords[] | undefined;
  let remainingPairs = maxComparedPairs;
  return (definition) => {
    if (removed.length === 0) return undefined;
    before ??= removed.map(wordsOf);
    const now = wordsOf(definition);
    const same = before.find(({ text }) => text === now.text);
    if (same !== undefined) return same.name;
    let best: { readonly name: string; readonly score: number } | undefined;
    for (const each of before) {
      if (--remainingPairs < 0) break;
      const score = similarity(now, each);
      if (score >= minSimilarity && score > (best?.score ?? 0)) best = { name: each.name, score };
    }
    return best?.name;
  };
};
