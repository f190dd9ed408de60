import type { Principal } from "../../../types/principal.ts";
import type { UpstreamServer } from "../gateway-backend.ts";
import type { GatewayState } from "../gateway-state.ts";
import { fetchUpstreamList, type ListKind } from "./upstream-lists.ts";

export interface ResourceOwner {
  readonly server: UpstreamServer;
  /** At the upstream server. */
  readonly uri: string;
}

export const resourceServers = (gateway: GatewayState, principal: Principal): readonly UpstreamServer[] =>
  gateway.backend.servers(principal).filter(({ readResource }) => readResource !== undefined);

const aliasPattern = /^(?:haft(-template)?:\/\/|ui:\/\/haft\/)([^/]+)\/(.*)$/su;

const resolveAlias = (servers: readonly UpstreamServer[], uri: string): ResourceOwner | undefined => {
  const found = aliasPattern.exec(uri);
  const server = servers.find(({ id }) => id === found?.[2]);
  if (found === null || server === undefined) return undefined;
  try {
    return { server, uri: found[1] === undefined ? decodeURIComponent(found[3]!) : found[3]! };
  } catch {
    return undefined;
  }
};

/** The server that lists the URI, else one with a matching template, else all with resources. */
export const findResourceOwners = async (
  gateway: GatewayState,
  servers: readonly UpstreamServer[],
  uri: string,
): Promise<readonly ResourceOwner[]> => {
  const named = resolveAlias(servers, uri);
  if (named !== undefined) return [named];
  // Other servers must not serve an app's URI.
  const uiOwner = gateway.backend.uiOwner?.(uri);
  if (uiOwner !== undefined)
    return servers.filter(({ id }) => id === uiOwner).map((server) => ({ server, uri }));
  const able = servers.filter(({ session }) => session.capabilities.resources !== undefined);
  if (able.length <= 1) return able.map((server) => ({ server, uri }));
  const listed = await findListingServer(gateway, able, "resources", (item) => item.uri === uri);
  if (listed !== undefined) return [{ server: listed, uri }];
  const templated = await findListingServer(
    gateway,
    able,
    "resourceTemplates",
    ({ uriTemplate }) =>
      typeof uriTemplate === "string" && (uriTemplate === uri || matchesTemplate(uriTemplate, uri)),
  );
  return templated === undefined ? able.map((server) => ({ server, uri })) : [{ server: templated, uri }];
};

const findListingServer = async (
  gateway: GatewayState,
  servers: readonly UpstreamServer[],
  kind: ListKind,
  isMatch: (item: Readonly<Record<string, unknown>>) => boolean,
): Promise<UpstreamServer | undefined> => {
  const lists = await Promise.allSettled(
    servers.map(({ session }) => fetchUpstreamList(gateway, session, kind)),
  );
  const index = lists.findIndex((list) => list.status === "fulfilled" && list.value.some(isMatch));
  return servers[index];
};

interface TemplatePart {
  readonly literal: string;
  /** What follows the literal. */
  readonly hole: "segment" | "path" | undefined;
}

const maxTemplateLength = 4096;

/** RFC 6570 operators whose values may contain slashes or be empty. */
const canSpanSegments = (expression: string): boolean =>
  /^[+#/?&.;]/u.test(expression) || expression.endsWith("*");

const parseTemplate = (template: string): readonly TemplatePart[] | undefined => {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const open = template.indexOf("{", from);
    if (open === -1) return [...parts, { literal: template.slice(from), hole: undefined }];
    const close = template.indexOf("}", open);
    if (close === -1) return undefined;
    const hole = canSpanSegments(template.slice(open + 1, close)) ? "path" : "segment";
    parts.push({ literal: template.slice(from, open), hole });
    from = close + 1;
  }
};

/** An approximation that searches each literal once, so untrusted templates stay cheap. */
export const matchesTemplate = (template: string, uri: string): boolean => {
  if (template.length > maxTemplateLength || uri.length > maxTemplateLength) return false;
  const parts = parseTemplate(template);
  if (parts === undefined || !uri.startsWith(parts[0]!.literal)) return false;
  let at = parts[0]!.literal.length;
  for (let i = 1; i < parts.length; i++) {
    const { literal } = parts[i]!;
    const { hole } = parts[i - 1]!;
    const isLast = i === parts.length - 1;
    const least = hole === "segment" ? at + 1 : at;
    const end = isLast ? uri.length - literal.length : uri.indexOf(literal, least);
    if (end < least || !uri.startsWith(literal, end)) return false;
    if (hole === "segment" && uri.slice(at, end).includes("/")) return false;
    at = end + literal.length;
  }
  return at === uri.length;
};
