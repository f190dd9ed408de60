import { freezeJson } from "../../../base/json/json-value.ts";
import type { RemoteTool } from "../../../types/mcp.ts";
import { lockedDefinitionOf } from "../definition.ts";
import { isSameLaunch, launchOf } from "../launch.ts";
import { type Lock, type LockedDefinition, type LockedServer, ownValue } from "../lock.ts";
import { lockServer } from "../lock-server.ts";
import {
  findOpenDangers,
  type LockComparison,
  type ServerListing,
  type ServerReview,
  type ToolReview,
} from "./review.ts";

export interface ReviewAcceptance {
  /** Includes its launch. */
  readonly server: (id: string) => boolean;
  readonly tool: (id: string, name: string) => boolean;
}

const lockedDefinition = (locked: LockedServer | undefined, name: string): LockedDefinition | undefined => {
  const before = locked === undefined ? undefined : ownValue(locked.tools, name);
  return before === undefined ? undefined : lockedDefinitionOf(name, before);
};

const toRemoteTool = ({ ui, uiHash: _, ...said }: LockedDefinition): RemoteTool =>
  ui === undefined ? said : { ...said, _meta: { ui } };

const chooseDefinition = (
  tool: ToolReview,
  locked: LockedServer | undefined,
  isAccepted: boolean,
): LockedDefinition | undefined => {
  if (!isAccepted) return lockedDefinition(locked, tool.from ?? tool.name);
  return tool.change === "removed" || tool.change === "refused" ? undefined : tool.now;
};

const acceptServer = (
  listing: ServerListing,
  review: ServerReview,
  locked: LockedServer | undefined,
  acceptance: ReviewAcceptance,
): LockedServer | undefined => {
  const { id } = review;
  const isWhole = acceptance.server(id);
  const wants = (name: string): boolean => isWhole || acceptance.tool(id, name);
  const isMoved = locked !== undefined && !isSameLaunch(locked.launch, launchOf(listing.server));
  // Every hash includes the launch.
  if (isMoved && !isWhole) return locked;
  const reviewed = new Set(
    review.tools.flatMap(({ name, from }) => [name, ...(from === undefined ? [] : [from])]),
  );
  const untouched = Object.keys(locked?.tools ?? {}).filter((name) => !reviewed.has(name));
  const codes = new Map<string, readonly string[]>();
  const tools: LockedDefinition[] = [];
  for (const name of untouched) {
    tools.push(lockedDefinition(locked, name)!);
    codes.set(name, locked!.tools[name]!.accepted ?? []);
  }
  for (const tool of review.tools) {
    const isAccepted = wants(tool.name) || (tool.from !== undefined && wants(tool.from));
    const next = chooseDefinition(tool, locked, isAccepted);
    if (next === undefined) continue;
    tools.push(next);
    const before = (locked === undefined ? undefined : ownValue(locked.tools, next.name))?.accepted ?? [];
    const seen = isAccepted ? [...tool.accepted, ...findOpenDangers(tool).map(({ code }) => code)] : before;
    codes.set(next.name, seen);
  }
  if (locked === undefined && tools.length === 0 && !isWhole) return undefined;
  const pages = new Map(
    tools.flatMap(({ name, uiHash }) => (uiHash === undefined ? [] : [[name, uiHash] as const])),
  );
  return lockServer(listing.server, listing.serverInfo, tools.map(toRemoteTool), codes, pages);
};

/** Dangers of accepted tools are recorded as accepted; the caller must have confirmed them. */
export const acceptReview = (
  lock: Lock | undefined,
  listing: readonly ServerListing[],
  review: LockComparison,
  acceptance: ReviewAcceptance,
): Lock => {
  const servers = review.servers.flatMap((each): readonly (readonly [string, LockedServer])[] => {
    const locked = lock === undefined ? undefined : ownValue(lock.servers, each.id);
    const listed = listing.find(({ server }) => server.id === each.id);
    const isKept = each.change === "unseen" || each.change === "same";
    if (listed === undefined || isKept) {
      const isGone = each.change === "removed" && acceptance.server(each.id);
      return locked === undefined || isGone ? [] : [[each.id, locked]];
    }
    const next = acceptServer(listed, each, locked, acceptance);
    return next === undefined ? [] : [[each.id, next]];
  });
  return freezeJson({ lockVersion: 2, servers: Object.fromEntries(servers) });
};
