import { inside, type Place } from "../../../../catalog/place.ts";
import type { ToolRegistry } from "../../../../catalog/registry.ts";
import type { ListedTools, McpServerState, NamedServer } from "../../../../words/mcp.ts";
import type { Registration } from "../../../../words/tool.ts";
import {
  type Companion,
  companionName,
  companions,
  companionTool,
  isServed,
} from "../../to-tool/companions.ts";
import type { HeldBack, ToolLink } from "../../to-tool/link.ts";
import { lossesOf, toTool } from "../../to-tool.ts";
import { reasonOf } from "../reason-of.ts";
import type { Quarantined, ToolJudge } from "../servers-services.ts";
import { type JudgedTool, judgeList } from "./judge-list.ts";
import type { SessionPins } from "./session-pins.ts";
import { standIn } from "./stand-in.ts";

export interface ServerToolsServices {
  readonly registry: ToolRegistry;
  readonly judge: ToolJudge;
  readonly link: Omit<ToolLink, "held">;
  /** What is against the server as a whole. */
  readonly refusal: () => string | undefined;
  readonly pins: SessionPins;
}

/** The tools that one server has in the registry. */
export interface ServerTools {
  /** Puts this list in the place of the one before. Tells whether anything is another than it was. */
  readonly apply: (list: ListedTools, capabilities: Readonly<Record<string, unknown>>) => boolean;
  /** Judges the last list again. */
  readonly review: () => boolean;
  /** Full names of what can be called, in the server's order. */
  readonly names: () => readonly string[];
  readonly quarantined: () => readonly Quarantined[];
  readonly losses: () => NonNullable<McpServerState["losses"]>;
  readonly companions: () => Readonly<Partial<Record<Companion, string>>>;
  readonly clear: () => void;
}

const empty: ListedTools = Object.freeze({ tools: [] });

interface RegisteredTool {
  readonly registration: Registration;
  /** Of the definition that is registered, or could not be. */
  readonly hash: string;
  /** Set where a stand-in is registered because the definition does not work. */
  readonly broken: HeldBack | undefined;
  readonly isStandIn: boolean;
  readonly hold: { held: HeldBack | undefined };
}

export const serverTools = (server: NamedServer, services: ServerToolsServices): ServerTools => {
  const { registry, pins } = services;
  const prefixed: Place = Object.freeze({ origin: "project", namespace: server.id });
  const place = server.names === "bare" ? inside : prefixed;
  const kept = new Map<string, RegisteredTool>();
  const own = new Map<Companion, Registration>();
  let refused: readonly Quarantined[] = [];
  let order: readonly string[] = [];
  let last: ListedTools = empty;

  const linkOf = (hold: RegisteredTool["hold"]): ToolLink => ({ ...services.link, held: () => hold.held });

  /** No list says anything of resources and prompts, so the server's own right stands for them. */
  const companionLink: ToolLink = {
    ...services.link,
    held: () => {
      const reason = services.refusal();
      return reason === undefined ? undefined : { reason, isApprovable: true };
    },
  };

  /** A name that means something already is not given away, whatever the registry would allow. */
  const ownerOf = (name: string): string | undefined => {
    const found = registry.resolve(place === inside ? name : `${server.id}/${name}`);
    if (!found.ok) return found.candidates[0];
    const { key } = found.registration;
    return place === inside || key === `${server.id}/${name}` ? key : undefined;
  };

  const build = ({
    remote,
    name,
    hash,
    held,
  }: NamedTool): Omit<RegisteredTool, "registration"> & { tool: Registration["tool"] } => {
    const hold: RegisteredTool["hold"] = { held };
    if (held === undefined) {
      try {
        return {
          tool: toTool(remote, server, linkOf(hold)),
          hash,
          hold,
          broken: undefined,
          isStandIn: false,
        };
      } catch (error) {
        hold.held = { reason: reasonOf(error), isApprovable: false };
      }
    }
    const tool = standIn(name, server.id, () => hold.held);
    return { tool, hash, hold, broken: held === undefined ? hold.held : undefined, isStandIn: true };
  };

  /** Answers with what is against it, if it cannot be in the registry at all. */
  const add = (listed: NamedTool): string | undefined => {
    const owner = ownerOf(listed.name);
    if (owner !== undefined) return `it stands in the place of "${owner}", which was there before`;
    const { tool, ...rest } = build(listed);
    try {
      kept.set(listed.remote.name, { ...rest, registration: registry.register(tool, place) });
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  };

  /** Where duplicates are allowed, somebody may have put a tool of his own in the place of ours. */
  const unregister = (registration: Registration): void => {
    const found = registry.get(registration.key);
    if (found?.key !== registration.key || found === registration) registry.unregister(registration.key);
  };

  const remove = (name: string): void => {
    const { registration } = kept.get(name) as RegisteredTool;
    kept.delete(name);
    unregister(registration);
  };

  /** What did not change keeps its registration, so that offers stay as they are. */
  const settle = (listed: NamedTool): string | undefined => {
    const before = kept.get(listed.remote.name);
    if (before === undefined) return add(listed);
    if (listed.held !== undefined) {
      // The words that were reviewed stay; nobody can call them.
      before.hold.held = listed.held;
      return undefined;
    }
    if (before.hash === listed.hash && before.broken !== undefined) {
      before.hold.held = before.broken;
      return undefined;
    }
    if (before.hash === listed.hash && !before.isStandIn) {
      before.hold.held = undefined;
      return undefined;
    }
    remove(listed.remote.name);
    return add(listed);
  };

  const addCompanions = (capabilities: Readonly<Record<string, unknown>>, taken: readonly string[]): void => {
    for (const companion of companions) {
      if (own.has(companion) || !isServed(companion, capabilities)) continue;
      const name = companionName(companion, taken);
      try {
        const tool = companionTool(companion, name, server, companionLink);
        own.set(companion, registry.register(tool, prefixed));
      } catch {
        // A full registry, or a namespace of the operator's own that has the name: the server's tools go on.
      }
    }
  };

  const take = (list: ListedTools, capabilities: Readonly<Record<string, unknown>>): void => {
    const judged = judgeList(server, list, services.judge, pins);
    const listed = judged.filter(isListed);
    const present = new Set(listed.map(({ remote }) => remote.name));
    for (const name of [...kept.keys()]) if (!present.has(name)) remove(name);
    addCompanions(
      capabilities,
      listed.map(({ name }) => name),
    );
    const failures: Quarantined[] = judged
      .filter((each) => !isListed(each))
      .map(({ shown, held }) => ({ tool: shown, reason: held?.reason ?? "" }));
    for (const each of listed) {
      const reason = settle(each);
      if (reason !== undefined) failures.push({ tool: each.shown, reason });
    }
    refused = failures;
    order = listed.map(({ remote }) => remote.name);
    last = list;
  };

  const inOrder = (): readonly RegisteredTool[] =>
    order.flatMap((name) => {
      const found = kept.get(name);
      return found === undefined ? [] : [found];
    });

  const names = (): readonly string[] =>
    inOrder().flatMap(({ registration, hold }) => (hold.held === undefined ? [registration.key] : []));

  const quarantined = (): readonly Quarantined[] => [
    ...inOrder().flatMap(({ registration, hold }) =>
      hold.held === undefined ? [] : [{ tool: registration.key, reason: hold.held.reason }],
    ),
    ...refused,
  ];

  const losses = (): NonNullable<McpServerState["losses"]> =>
    inOrder().flatMap(({ registration, hold }) =>
      hold.held === undefined
        ? lossesOf(registration.tool).map((loss) => ({ tool: registration.key, loss }))
        : [],
    );

  const changed = (work: () => void): boolean => {
    const look = (): string => JSON.stringify([names(), quarantined()]);
    const { version } = registry;
    const before = look();
    work();
    return version !== registry.version || before !== look();
  };

  return {
    apply: (list, capabilities) => changed(() => take(list, capabilities)),
    review: () => changed(() => take(last, {})),
    names,
    quarantined,
    losses,
    companions: () => Object.fromEntries([...own].map(([companion, { key }]) => [companion, key])),
    clear: () => {
      for (const name of [...kept.keys()]) remove(name);
      for (const registration of own.values()) unregister(registration);
      own.clear();
      refused = [];
      order = [];
      last = empty;
    },
  };
};

type NamedTool = JudgedTool & { readonly name: string; readonly hash: string };

/** Whether there is anything of it that could be registered. */
const isListed = (judged: JudgedTool): judged is NamedTool =>
  judged.name !== undefined && judged.hash !== undefined;
