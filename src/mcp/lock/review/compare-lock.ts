import { freezeJson } from "../../../base/json/json-value.ts";
import { shown } from "../../../base/text/visible.ts";
import { findDifferingPointers, lockedDefinitionOf } from "../definition.ts";
import { findFlagsAmong, toNeighborTools } from "../flags/find-flags.ts";
import { findLaunchProblems, isSameLaunch, launchOf } from "../launch.ts";
import { type Lock, type LockedServer, ownValue } from "../lock.ts";
import { toLockable } from "../lock-server.ts";
import { createLookalikeFinder, indexLookalikes, type LookalikeIndex } from "../lookalikes.ts";
import { reviewStatusesOf, withPageHash } from "../review-status.ts";
import {
  findOpenDangers,
  type LockComparison,
  type ServerListing,
  type ServerReview,
  type ToolReview,
} from "./review.ts";

interface ComparisonContext {
  readonly names: readonly string[];
  readonly looks: LookalikeIndex;
}

const reviewTools = (
  { server, tools, pages = new Map() }: ServerListing,
  locked: LockedServer | undefined,
  { names, looks }: ComparisonContext,
): readonly ToolReview[] => {
  const neighbors = toNeighborTools(
    names,
    tools.map(({ name }) => name),
  );
  const statuses = reviewStatusesOf(server, locked, tools, pages);
  const findLookalike = createLookalikeFinder(server.id, tools, looks);
  const refusedNames = new Set<string>();
  return tools.flatMap((tool, at): readonly ToolReview[] => {
    const standing = statuses[at]!;
    const kept = toLockable(tool);
    const base = { name: tool.name, flags: findFlagsAmong(tool, neighbors), accepted: [], pointers: [] };
    if (standing.kind === "twice" || !kept.ok) {
      const problem = kept.ok ? "the server lists more than one tool of this name." : kept.problem;
      if (refusedNames.has(tool.name)) return [];
      refusedNames.add(tool.name);
      return [{ ...base, change: "refused", problem }];
    }
    const now = withPageHash(kept.definition, pages.get(tool.name));
    if (standing.kind === "same")
      return [{ ...base, change: "same", now, accepted: standing.locked.accepted ?? [] }];
    const lookalike = findLookalike(tool, standing);
    const found = { ...base, now, ...(lookalike === undefined ? {} : { lookalikeOf: lookalike }) };
    if (standing.kind === "changed")
      return [
        {
          ...found,
          change: "changed",
          was: lockedDefinitionOf(tool.name, standing.locked),
          pointers: standing.pointers,
        },
      ];
    if (standing.kind === "renamed") {
      const was = lockedDefinitionOf(standing.from, standing.locked);
      return [
        { ...found, change: "renamed", from: standing.from, was, pointers: findDifferingPointers(was, now) },
      ];
    }
    return [{ ...found, change: "added" }];
  });
};

const removedTools = (locked: LockedServer, gone: readonly string[]): readonly ToolReview[] =>
  gone.map((name) => ({
    name,
    change: "removed",
    was: lockedDefinitionOf(name, locked.tools[name]!),
    flags: [],
    accepted: [],
    pointers: [],
  }));

const reviewServer = (listing: ServerListing, lock: Lock, around: ComparisonContext): ServerReview => {
  const { server, trouble } = listing;
  const locked = ownValue(lock.servers, server.id);
  const now = launchOf(server);
  const launches = { now, ...(locked === undefined ? {} : { was: locked.launch }) };
  const base = { id: server.id, ...launches, findings: "command" in now ? findLaunchProblems(now) : [] };
  if (trouble !== undefined)
    return { ...base, change: "unseen", trouble: shown(trouble, 300), tools: [], unchanged: 0 };
  const all = reviewTools(listing, locked, around);
  const changed = all.filter((tool) => tool.change !== "same" || findOpenDangers(tool).length > 0);
  const taken = new Set(all.flatMap(({ name, from }) => [name, ...(from === undefined ? [] : [from])]));
  const gone = locked === undefined ? [] : Object.keys(locked.tools).filter((name) => !taken.has(name));
  const tools = [...changed, ...(locked === undefined ? [] : removedTools(locked, gone))].toSorted(
    (one, other) => (one.name < other.name ? -1 : 1),
  );
  const isMoved = locked !== undefined && !isSameLaunch(locked.launch, now);
  const change = locked === undefined ? "added" : isMoved || tools.length > 0 ? "changed" : "same";
  return { ...base, change, tools, unchanged: all.length - changed.length };
};

const removedServer = (id: string, locked: LockedServer): ServerReview => ({
  id,
  change: "removed",
  was: locked.launch,
  findings: [],
  tools: removedTools(locked, Object.keys(locked.tools)),
  unchanged: 0,
});

export const compareLock = (lock: Lock | undefined, listing: readonly ServerListing[]): LockComparison => {
  const known: Lock = lock ?? { lockVersion: 2, servers: {} };
  const names = [
    ...Object.values(known.servers).flatMap(({ tools }) => Object.keys(tools)),
    ...listing.flatMap(({ tools }) => tools.map(({ name }) => name)),
  ];
  const around = { names, looks: indexLookalikes(known) };
  const listed = new Set(listing.map(({ server }) => server.id));
  const servers = [
    ...listing.map((each) => reviewServer(each, known, around)),
    ...Object.entries(known.servers)
      .filter(([id]) => !listed.has(id))
      .map(([id, locked]) => removedServer(id, locked)),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return freezeJson({ isClean: servers.every(({ change }) => change === "same"), servers });
};
