import { internalPlace, type ToolPlace } from "../../../../registry/place.ts";
import type { ToolRegistry } from "../../../../registry/tool-registry.ts";
import type { McpServerState, NamedMcpServer, ToolListing } from "../../../../types/mcp.ts";
import type { Registration } from "../../../../types/tool.ts";
import { createRemoteTool, schemaLossesOf } from "../../create-remote-tool.ts";
import {
  type Companion,
  companionNames,
  createCompanionTool,
  supportsCompanion,
  uniqueCompanionName,
} from "../../to-tool/companions.ts";
import type { ToolLink, ToolQuarantine } from "../../to-tool/tool-link.ts";
import { errorReason } from "../reason-of.ts";
import type { QuarantinedTool, ToolCheck } from "../servers-services.ts";
import { type CheckedTool, checkToolList } from "./check-tool-list.ts";
import type { SessionPins } from "./session-pins.ts";
import { createStandInTool } from "./stand-in.ts";

export interface ServerToolsServices {
  readonly registry: ToolRegistry;
  readonly judge: ToolCheck;
  readonly link: Omit<ToolLink, "held">;
  /** What is against the server as a whole. */
  readonly refusal: () => string | undefined;
  readonly pins: SessionPins;
}

/** The tools that one server has in the registry. */
export interface ServerTools {
  /** Puts this list in the place of the one before. Tells whether anything is another than it was. */
  readonly apply: (list: ToolListing, capabilities: Readonly<Record<string, unknown>>) => boolean;
  /** Judges the last list again. */
  readonly review: () => boolean;
  /** Full names of what can be called, in the server's order. */
  readonly names: () => readonly string[];
  readonly quarantined: () => readonly QuarantinedTool[];
  readonly losses: () => NonNullable<McpServerState["losses"]>;
  readonly companions: () => Readonly<Partial<Record<Companion, string>>>;
  readonly clear: () => void;
}

const emptyListing: ToolListing = Object.freeze({ tools: [] });

interface RegisteredServerTool {
  readonly registration: Registration;
  /** Of the definition that is registered, or could not be. */
  readonly hash: string;
  /** Set where a stand-in is registered because the definition does not work. */
  readonly broken: ToolQuarantine | undefined;
  readonly isStandIn: boolean;
  readonly hold: { held: ToolQuarantine | undefined };
}

export const createServerTools = (server: NamedMcpServer, services: ServerToolsServices): ServerTools => {
  const { registry, pins } = services;
  const prefixed: ToolPlace = Object.freeze({ origin: "project", namespace: server.id });
  const place = server.names === "bare" ? internalPlace : prefixed;
  const registered = new Map<string, RegisteredServerTool>();
  const companionRegistrations = new Map<Companion, Registration>();
  let refused: readonly QuarantinedTool[] = [];
  let order: readonly string[] = [];
  let last: ToolListing = emptyListing;

  const linkOf = (hold: RegisteredServerTool["hold"]): ToolLink => ({
    ...services.link,
    held: () => hold.held,
  });

  /** No list says anything of resources and prompts, so the server's own right stands for them. */
  const companionLink: ToolLink = {
    ...services.link,
    held: () => {
      const reason = services.refusal();
      return reason === undefined ? undefined : { reason, isApprovable: true };
    },
  };

  /** A name that means something already is not given away, whatever the registry would allow. */
  const registrationOwner = (name: string): string | undefined => {
    const found = registry.resolve(place === internalPlace ? name : `${server.id}/${name}`);
    if (!found.ok) return found.candidates[0];
    const { key } = found.registration;
    return place === internalPlace || key === `${server.id}/${name}` ? key : undefined;
  };

  const build = ({
    remote,
    name,
    hash,
    held,
  }: NamedCheckedTool): Omit<RegisteredServerTool, "registration"> & { tool: Registration["tool"] } => {
    const hold: RegisteredServerTool["hold"] = { held };
    if (held === undefined) {
      try {
        return {
          tool: createRemoteTool(remote, server, linkOf(hold)),
          hash,
          hold,
          broken: undefined,
          isStandIn: false,
        };
      } catch (error) {
        hold.held = { reason: errorReason(error), isApprovable: false };
      }
    }
    const tool = createStandInTool(name, server.id, () => hold.held);
    return { tool, hash, hold, broken: held === undefined ? hold.held : undefined, isStandIn: true };
  };

  /** Answers with what is against it, if it cannot be in the registry at all. */
  const add = (listed: NamedCheckedTool): string | undefined => {
    const owner = registrationOwner(listed.name);
    if (owner !== undefined) return `it stands in the place of "${owner}", which was there before`;
    const { tool, ...rest } = build(listed);
    try {
      registered.set(listed.remote.name, { ...rest, registration: registry.register(tool, place) });
      return undefined;
    } catch (error) {
      return errorReason(error);
    }
  };

  /** Where duplicates are allowed, somebody may have put a tool of his own in the place of ours. */
  const unregister = (registration: Registration): void => {
    const found = registry.get(registration.key);
    if (found?.key !== registration.key || found === registration) registry.unregister(registration.key);
  };

  const remove = (name: string): void => {
    const { registration } = registered.get(name) as RegisteredServerTool;
    registered.delete(name);
    unregister(registration);
  };

  /** What did not change keeps its registration, so that offers stay as they are. */
  const registerOrReplace = (listed: NamedCheckedTool): string | undefined => {
    const before = registered.get(listed.remote.name);
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
    for (const companion of companionNames) {
      if (companionRegistrations.has(companion) || !supportsCompanion(companion, capabilities)) continue;
      const name = uniqueCompanionName(companion, taken);
      try {
        const tool = createCompanionTool(companion, name, server, companionLink);
        companionRegistrations.set(companion, registry.register(tool, prefixed));
      } catch {
        // A full registry, or a namespace of the operator's own that has the name: the server's tools go on.
      }
    }
  };

  const acceptList = (list: ToolListing, capabilities: Readonly<Record<string, unknown>>): void => {
    const checked = checkToolList(server, list, services.judge, pins);
    const listed = checked.filter(isListed);
    const present = new Set(listed.map(({ remote }) => remote.name));
    for (const name of [...registered.keys()]) if (!present.has(name)) remove(name);
    addCompanions(
      capabilities,
      listed.map(({ name }) => name),
    );
    const failures: QuarantinedTool[] = checked
      .filter((each) => !isListed(each))
      .map(({ shown, held }) => ({ tool: shown, reason: held?.reason ?? "" }));
    for (const each of listed) {
      const reason = registerOrReplace(each);
      if (reason !== undefined) failures.push({ tool: each.shown, reason });
    }
    refused = failures;
    order = listed.map(({ remote }) => remote.name);
    last = list;
  };

  const inOrder = (): readonly RegisteredServerTool[] =>
    order.flatMap((name) => {
      const found = registered.get(name);
      return found === undefined ? [] : [found];
    });

  const names = (): readonly string[] =>
    inOrder().flatMap(({ registration, hold }) => (hold.held === undefined ? [registration.key] : []));

  const quarantined = (): readonly QuarantinedTool[] => [
    ...inOrder().flatMap(({ registration, hold }) =>
      hold.held === undefined ? [] : [{ tool: registration.key, reason: hold.held.reason }],
    ),
    ...refused,
  ];

  const losses = (): NonNullable<McpServerState["losses"]> =>
    inOrder().flatMap(({ registration, hold }) =>
      hold.held === undefined
        ? schemaLossesOf(registration.tool).map((loss) => ({ tool: registration.key, loss }))
        : [],
    );

  const changed = (work: () => void): boolean => {
    const currentView = (): string => JSON.stringify([names(), quarantined()]);
    const { version } = registry;
    const before = currentView();
    work();
    return version !== registry.version || before !== currentView();
  };

  return {
    apply: (list, capabilities) => changed(() => acceptList(list, capabilities)),
    review: () => changed(() => acceptList(last, {})),
    names,
    quarantined,
    losses,
    companions: () =>
      Object.fromEntries([...companionRegistrations].map(([companion, { key }]) => [companion, key])),
    clear: () => {
      for (const name of [...registered.keys()]) remove(name);
      for (const registration of companionRegistrations.values()) unregister(registration);
      companionRegistrations.clear();
      refused = [];
      order = [];
      last = emptyListing;
    },
  };
};

type NamedCheckedTool = CheckedTool & { readonly name: string; readonly hash: string };

/** Whether there is anything of it that could be registered. */
const isListed = (judged: CheckedTool): judged is NamedCheckedTool =>
  judged.name !== undefined && judged.hash !== undefined;
