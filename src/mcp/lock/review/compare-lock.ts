import { freezeJson } from "../../../json/freeze-json.ts";
import { lockedDefinitionOf } from "../definition.ts";
import { flagsAmong, neighborsOf } from "../flags/flags-of.ts";
import { shown } from "../flags/visible.ts";
import { isSameLaunch, launchOf } from "../launch.ts";
import { lockable } from "../lock-server.ts";
import { type Lock, type LockedServer, own } from "../locked.ts";
import { launchFindings } from "../pinning.ts";
import { differingPointers } from "../pointers.ts";
import { standingsOf, withPage } from "../standing.ts";
import { type Looks, looksOf, twinsIn } from "../twins.ts";
import { type Listing, openDangers, type Review, type ServerReview, type ToolReview } from "./review.ts";

interface Surroundings {
  readonly names: readonly string[];
  readonly looks: Looks;
}

const reviewTools = (
  { server, tools, pages = new Map() }: Listing,
  locked: LockedServer | undefined,
  { names, looks }: Surroundings,
): readonly ToolReview[] => {
  const neighbors = neighborsOf(
    names,
    tools.map(({ name }) => name),
  );
  const standings = standingsOf(server, locked, tools, pages);
  const findTwin = twinsIn(server.id, tools, looks);
  const refusedNames = new Set<string>();
  return tools.flatMap((tool, at): readonly ToolReview[] => {
    const standing = standings[at]!;
    const kept = lockable(tool);
    const base = { name: tool.name, flags: flagsAmong(tool, neighbors), accepted: [], pointers: [] };
    if (standing.kind === "twice" || !kept.ok) {
      const problem = kept.ok ? "the server lists more than one tool of this name." : kept.problem;
      if (refusedNames.has(tool.name)) return [];
      refusedNames.add(tool.name);
      return [{ ...base, change: "refused", problem }];
    }
    const now = withPage(kept.definition, pages.get(tool.name));
    if (standing.kind === "same")
      return [{ ...base, change: "same", now, accepted: standing.locked.accepted ?? [] }];
    const twin = findTwin(tool, standing);
    const found = { ...base, now, ...(twin === undefined ? {} : { standsFor: twin }) };
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
        { ...found, change: "renamed", from: standing.from, was, pointers: differingPointers(was, now) },
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

const reviewServer = (listing: Listing, lock: Lock, around: Surroundings): ServerReview => {
  const { server, trouble } = listing;
  const locked = own(lock.servers, server.id);
  const now = launchOf(server);
  const launches = { now, ...(locked === undefined ? {} : { was: locked.launch }) };
  const base = { id: server.id, ...launches, findings: "command" in now ? launchFindings(now) : [] };
  if (trouble !== undefined)
    return { ...base, change: "unseen", trouble: shown(trouble, 300), tools: [], unchanged: 0 };
  const all = reviewTools(listing, locked, around);
  const changed = all.filter((tool) => tool.change !== "same" || openDangers(tool).length > 0);
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

/** What a reviewer has to look at: how the servers of now differ from what the lock says. Without a lock all is new. */
export const compareLock = (lock: Lock | undefined, listing: readonly Listing[]): Review => {
  const known: Lock = lock ?? { lockVersion: 2, servers: {} };
  const names = [
    ...Object.values(known.servers).flatMap(({ tools }) => Object.keys(tools)),
    ...listing.flatMap(({ tools }) => tools.map(({ name }) => name)),
  ];
  const around = { names, looks: looksOf(known) };
  const listed = new Set(listing.map(({ server }) => server.id));
  const servers = [
    ...listing.map((each) => reviewServer(each, known, around)),
    ...Object.entries(known.servers)
      .filter(([id]) => !listed.has(id))
      .map(([id, locked]) => removedServer(id, locked)),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return freezeJson({ isClean: servers.every(({ change }) => change === "same"), servers });
};
