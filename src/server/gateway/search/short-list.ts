import type { Offer } from "../../catalog/offer/offer.ts";
import type { McpTool } from "../../dialects/mcp/to-mcp.ts";
import { isForModels } from "../../mcp/client/to-tool/ui-of.ts";
import { remoteOf } from "../../mcp/client/to-tool.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { isOwnName } from "./own-names.ts";
import type { SearchSettings } from "./search-settings.ts";

/** A list of tools as clients are shown it, and the offer it was made from, in the same order. */
export interface ListedOffer {
  readonly offer: Offer;
  readonly list: readonly McpTool[];
}

type Handful = (
  listed: ListedOffer,
  own: readonly McpTool[],
  loaded: LoadedTools | undefined,
) => readonly McpTool[];

interface SplitList {
  readonly all: readonly McpTool[];
  readonly always: readonly McpTool[];
  readonly others: ReadonlyMap<string, McpTool>;
}

/**
 * What a client is listed of all it may use: what is always listed, then the gateway's own, then what the client loaded,
 * in the order it did. A client that may use few tools is listed them all.
 */
export const handful = ({ isAlways, above }: Pick<SearchSettings, "isAlways" | "above">): Handful => {
  const known = new WeakMap<readonly McpTool[], SplitList>();
  const split = ({ offer, list }: ListedOffer): SplitList => {
    const always: McpTool[] = [];
    const others = new Map<string, McpTool>();
    list.forEach((tool, index) => {
      const { key, wireName, tool: served } = offer.registrations[index]!;
      if (isOwnName(wireName)) return;
      // What only pages of apps call is in the list of clients that show them, and no model reads it.
      const isForPages = !isForModels(remoteOf(served) ?? {});
      if (isForPages || isAlways(key) || isAlways(wireName)) always.push(tool);
      else others.set(wireName, tool);
    });
    const all = list.some(({ name }) => isOwnName(name)) ? list.filter(({ name }) => !isOwnName(name)) : list;
    return { all, always, others };
  };
  return (listed, own, loaded) => {
    let parts = known.get(listed.list);
    if (parts === undefined) {
      parts = split(listed);
      known.set(listed.list, parts);
    }
    const { all, always, others } = parts;
    if (all.length <= above) return all;
    const added = (loaded?.names ?? []).flatMap((name) => others.get(name) ?? []);
    return [...always, ...own, ...added];
  };
};
