import type { Principal } from "../../words/principal.ts";
import type { GatewayState } from "../gateway-state.ts";
import type { ServedServer } from "../served.ts";
import { matchesTemplate } from "./template-match.ts";
import { type ListKind, listOf } from "./upstream-lists.ts";

export interface ResourceOwner {
  readonly server: ServedServer;
  /** As its own server calls it. */
  readonly uri: string;
}

/** Servers whose resources this caller may read; it has nothing to do with those of others. */
export const resourceServers = (gateway: GatewayState, principal: Principal): readonly ServedServer[] =>
  gateway.served.servers(principal).filter(({ readResource }) => readResource !== undefined);

const aliased = /^(?:haft(-template)?:\/\/|ui:\/\/haft\/)([^/]+)\/(.*)$/su;

/** The server that an alias of ours names, and what it calls the resource. */
const behindAlias = (servers: readonly ServedServer[], uri: string): ResourceOwner | undefined => {
  const found = aliased.exec(uri);
  const server = servers.find(({ id }) => id === found?.[2]);
  if (found === null || server === undefined) return undefined;
  try {
    return { server, uri: found[1] === undefined ? decodeURIComponent(found[3]!) : found[3]! };
  } catch {
    return undefined;
  }
};

/** Whose resource it may be, the likeliest first: who lists it, else whose template fits, else all that have any. */
export const ownersOf = async (
  gateway: GatewayState,
  servers: readonly ServedServer[],
  uri: string,
): Promise<readonly ResourceOwner[]> => {
  const named = behindAlias(servers, uri);
  if (named !== undefined) return [named];
  // Whoever else lists the page of another's app does not get to answer for it.
  const uiOwner = gateway.served.uiOwner?.(uri);
  if (uiOwner !== undefined)
    return servers.filter(({ id }) => id === uiOwner).map((server) => ({ server, uri }));
  const able = servers.filter(({ session }) => session.capabilities.resources !== undefined);
  if (able.length <= 1) return able.map((server) => ({ server, uri }));
  const listed = await holderOf(gateway, able, "resources", (item) => item.uri === uri);
  if (listed !== undefined) return [{ server: listed, uri }];
  const templated = await holderOf(
    gateway,
    able,
    "resourceTemplates",
    ({ uriTemplate }) =>
      typeof uriTemplate === "string" && (uriTemplate === uri || matchesTemplate(uriTemplate, uri)),
  );
  return templated === undefined ? able.map((server) => ({ server, uri })) : [{ server: templated, uri }];
};

const holderOf = async (
  gateway: GatewayState,
  servers: readonly ServedServer[],
  kind: ListKind,
  isIt: (item: Readonly<Record<string, unknown>>) => boolean,
): Promise<ServedServer | undefined> => {
  const lists = await Promise.allSettled(servers.map(({ session }) => listOf(gateway, session, kind)));
  const index = lists.findIndex((list) => list.status === "fulfilled" && list.value.some(isIt));
  return servers[index];
};
