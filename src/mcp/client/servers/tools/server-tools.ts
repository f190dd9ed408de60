import { internalPlace, type ToolPlace } from "../../../../registry/place.ts";
import type { ToolRegistry } from "../../../../registry/tool-registry.ts";
import type {
  McpServerState,
  NamedMcpServer,
  ToolListing,
  UnmatchedToolPattern,
} from "../../../../types/mcp.ts";
import type { Registration } from "../../../../types/tool.ts";
import { createRemoteTool, schemaLossesOf } from "../../create-remote-tool.ts";
import {
  companionNames,
  companionToolNames,
  createCompanionTool,
  type ServerFeatureTool,
  supportsCompanion,
  uniqueCompanionName,
} from "../../to-tool/companions.ts";
import { unmatchedToolPatterns } from "../../to-tool/server-overrides.ts";
import type { ToolLink, ToolQuarantine } from "../../to-tool/tool-link.ts";
import { type CheckTools, errorReason, type QuarantinedTool } from "../servers-services.ts";
import { type CheckedTool, checkToolList, listedToolNames, type SessionPins } from "./check-tool-list.ts";
import { createStandInTool } from "./stand-in.ts";

export interface ServerToolsServices {
  readonly registry: ToolRegistry;
  readonly judge: CheckTools;
  readonly link: Omit<ToolLink, "quarantine">;
  readonly refusal: () => string | undefined;
  readonly pins: SessionPins;
}

export interface ServerTools {
  /** Returns whether anything changed. */
  readonly apply: (list: ToolListing, capabilities: Readonly<Record<string, unknown>>) => boolean;
  readonly review: () => boolean;
  readonly names: () => readonly string[];
  readonly quarantined: () => readonly QuarantinedTool[];
  readonly uncheckedConstraints: () => NonNullable<McpServerState["losses"]>;
  readonly unmatched: () => readonly UnmatchedToolPattern[];
  readonly companions: () => Readonly<Partial<Record<ServerFeatureTool, string>>>;
  readonly clear: () => void;
}

const emptyListing: ToolListing = Object.freeze({ tools: [] });

interface RegisteredServerTool {
  readonly registration: Registration;
  readonly hash: string;
  /** Set if the definition is invalid and a stand-in is registered. */
  readonly definitionProblem: ToolQuarantine | undefined;
  readonly isStandIn: boolean;
  readonly quarantineRef: { held: ToolQuarantine | undefined };
}

export const createServerTools = (server: NamedMcpServer, services: ServerToolsServices): ServerTools => {
  const { registry, pins } = services;
  const prefixed: ToolPlace = Object.freeze({ origin: "project", namespace: server.id });
  const place = server.names === "bare" ? internalPlace : prefixed;
  const registered = new Map<string, RegisteredServerTool>();
  const companionRegistrations = new Map<ServerFeatureTool, Registration>();
  let rejected: readonly QuarantinedTool[] = [];
  let order: readonly string[] = [];
  let unmatched: readonly UnmatchedToolPattern[] = [];
  let last: ToolListing = emptyListing;

  const linkOf = (quarantineRef: RegisteredServerTool["quarantineRef"]): ToolLink => ({
    ...services.link,
    quarantine: () => quarantineRef.held,
  });

  /** The lockfile does not list resources and prompts, so the server's own approval applies. */
  const companionLink: ToolLink = {
    ...services.link,
    quarantine: () => {
      const reason = services.refusal();
      return reason === undefined ? undefined : { reason, isApprovable: true };
    },
  };

  /** Refuses a name that already resolves to another tool. */
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
    quarantine,
  }: NamedCheckedTool): Omit<RegisteredServerTool, "registration"> & { tool: Registration["tool"] } => {
    const quarantineRef: RegisteredServerTool["quarantineRef"] = { held: quarantine };
    if (quarantine === undefined) {
      try {
        return {
          tool: createRemoteTool(remote, server, linkOf(quarantineRef)),
          hash,
          quarantineRef: quarantineRef,
          definitionProblem: undefined,
          isStandIn: false,
        };
      } catch (error) {
        quarantineRef.held = { reason: errorReason(error), isApprovable: false };
      }
    }
    const tool = createStandInTool(name, server.id, () => quarantineRef.held);
    return {
      tool,
      hash,
      quarantineRef: quarantineRef,
      definitionProblem: quarantine === undefined ? quarantineRef.held : undefined,
      isStandIn: true,
    };
  };

  /** Returns the reason if the tool cannot be registered. */
  const add = (listed: NamedCheckedTool): string | undefined => {
    const owner = registrationOwner(listed.name);
    if (owner !== undefined) return `its name is already used by "${owner}"`;
    const { tool, ...rest } = build(listed);
    try {
      registered.set(listed.remote.name, { ...rest, registration: registry.register(tool, place) });
      return undefined;
    } catch (error) {
      return errorReason(error);
    }
  };

  /** With duplicates allowed, another tool may have replaced ours. */
  const unregister = (registration: Registration): void => {
    const found = registry.get(registration.key);
    if (found?.key !== registration.key || found === registration) registry.unregister(registration.key);
  };

  const remove = (name: string): void => {
    const { registration } = registered.get(name) as RegisteredServerTool;
    registered.delete(name);
    unregister(registration);
  };

  /** Unchanged tools keep their registration, so that offers stay valid. */
  const registerOrReplace = (listed: NamedCheckedTool): string | undefined => {
    const before = registered.get(listed.remote.name);
    if (before === undefined) return add(listed);
    if (listed.quarantine !== undefined) {
      before.quarantineRef.held = listed.quarantine;
      return undefined;
    }
    if (before.hash === listed.hash && before.definitionProblem !== undefined) {
      before.quarantineRef.held = before.definitionProblem;
      return undefined;
    }
    if (before.hash === listed.hash && !before.isStandIn) {
      before.quarantineRef.held = undefined;
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
        // The registry is full or the name is taken.
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
      .map(({ displayName, quarantine }) => ({ tool: displayName, reason: quarantine?.reason ?? "" }));
    for (const each of listed) {
      const reason = registerOrReplace(each);
      if (reason !== undefined) failures.push({ tool: each.displayName, reason });
    }
    rejected = failures;
    order = listed.map(({ remote }) => remote.name);
    unmatched = unmatchedToolPatterns(server, [...listedToolNames(server, list), ...companionToolNames]);
    last = list;
  };

  const inOrder = (): readonly RegisteredServerTool[] =>
    order.flatMap((name) => {
      const found = registered.get(name);
      return found === undefined ? [] : [found];
    });

  const names = (): readonly string[] =>
    inOrder().flatMap(({ registration, quarantineRef }) =>
      quarantineRef.held === undefined ? [registration.key] : [],
    );

  const quarantined = (): readonly QuarantinedTool[] => [
    ...inOrder().flatMap(({ registration, quarantineRef }) =>
      quarantineRef.held === undefined ? [] : [{ tool: registration.key, reason: quarantineRef.held.reason }],
    ),
    ...rejected,
  ];

  const losses = (): NonNullable<McpServerState["losses"]> =>
    inOrder().flatMap(({ registration, quarantineRef }) =>
      quarantineRef.held === undefined
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
    uncheckedConstraints: losses,
    unmatched: () => unmatched,
    companions: () =>
      Object.fromEntries([...companionRegistrations].map(([companion, { key }]) => [companion, key])),
    clear: () => {
      for (const name of [...registered.keys()]) remove(name);
      for (const registration of companionRegistrations.values()) unregister(registration);
      companionRegistrations.clear();
      rejected = [];
      order = [];
      unmatched = [];
      last = emptyListing;
    },
  };
};

type NamedCheckedTool = CheckedTool & { readonly name: string; readonly hash: string };

const isListed = (judged: CheckedTool): judged is NamedCheckedTool =>
  judged.name !== undefined && judged.hash !== undefined;
