import { remoteToolOf } from "../../../mcp/client/create-remote-tool.ts";
import { isVisibleToModels } from "../../../mcp/client/to-tool/mcp-app.ts";
import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import type { Offer } from "../../../registry/offer/offer.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import type { SearchSettings } from "./search-settings.ts";

/** In the order of the offer's registrations. */
export interface ListedOffer {
  readonly offer: Offer;
  readonly list: readonly McpTool[];
}

type ShortList = (
  listed: ListedOffer,
  searchTools: readonly McpTool[],
  loaded: LoadedTools | undefined,
) => readonly McpTool[];

interface PartitionedList {
  readonly always: readonly McpTool[];
  readonly others: ReadonlyMap<string, McpTool>;
}

/** The `always` tools, the search tools, then loaded tools. Clients with few tools see all. */
export const createShortList = ({
  isAlways: isAlwaysListed,
  above: threshold,
}: Pick<SearchSettings, "isAlways" | "above">): ShortList => {
  const partitions = new WeakMap<readonly McpTool[], PartitionedList>();
  const partition = ({ offer, list }: ListedOffer): PartitionedList => {
    const always: McpTool[] = [];
    const others = new Map<string, McpTool>();
    list.forEach((tool, index) => {
      const { key, wireName, tool: served } = offer.registrations[index]!;
      // Models do not see tools for apps, so they stay listed.
      const isForPages = !isVisibleToModels(remoteToolOf(served) ?? {});
      if (isForPages || isAlwaysListed(key) || isAlwaysListed(wireName)) always.push(tool);
      else others.set(wireName, tool);
    });
    return { always, others };
  };
  return (listed, searchTools, loaded) => {
    if (listed.list.length <= threshold) return listed.list;
    let parts = partitions.get(listed.list);
    if (parts === undefined) {
      parts = partition(listed);
      partitions.set(listed.list, parts);
    }
    const { always, others } = parts;
    const added = (loaded?.names ?? []).flatMap((name) => others.get(name) ?? []);
    return [...always, ...searchTools, ...added];
  };
};
