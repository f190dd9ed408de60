import { ResourceNotFoundError, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import type { Principal } from "../../../types/principal.ts";
import { protocolErrorOf, redactJson, toRequestResult } from "../call/call-result.ts";
import { requestMetaOf } from "../call/client-capabilities.ts";
import { handleRequest } from "../call/handle-request.ts";
import type { LiveCall } from "../call/live-call.ts";
import { runGatewayCall } from "../call/run-gateway-call.ts";
import {
  type ClientConnection,
  principalOf,
  requireTextParam,
  usesModernProtocol,
} from "../client-connection.ts";
import { isUiAddress, uiAlias } from "../ui-addresses.ts";
import { findResourceOwners, resourceServers } from "./resource-owners.ts";
import { fetchUpstreamList, withCacheHints } from "./upstream-lists.ts";

interface ResourceListKind {
  readonly list: "resources" | "resourceTemplates";
  readonly field: "uri" | "uriTemplate";
  readonly alias: (id: string, uri: string) => string;
}

const resourceListKinds = {
  resources: {
    list: "resources",
    field: "uri",
    alias: (id, uri) => (isUiAddress(uri) ? uiAlias(id, uri) : `haft://${id}/${encodeURIComponent(uri)}`),
  },
  // Templates must stay unencoded.
  templates: {
    list: "resourceTemplates",
    field: "uriTemplate",
    alias: (id, uri) => `haft-template://${id}/${uri}`,
  },
} as const satisfies Record<string, ResourceListKind>;

/** In configuration order. Duplicate URIs get an alias with the server ID. */
const listAllResources = async (
  connection: ClientConnection,
  principal: Principal,
  { list, field, alias }: ResourceListKind,
): Promise<JsonObject[]> => {
  const { gateway } = connection;
  const servers = resourceServers(gateway, principal);
  const lists = await Promise.allSettled(
    servers.map(({ session }) => fetchUpstreamList(gateway, session, list)),
  );
  const seenUris = new Set<string>();
  const all: JsonObject[] = [];
  for (const [index, found] of lists.entries()) {
    for (const listed of found.status === "fulfilled" ? found.value : []) {
      const uri = listed[field];
      if (typeof uri !== "string") continue;
      const { id } = servers[index]!;
      const isOthers = (gateway.backend.uiOwner?.(uri) ?? id) !== id;
      const name = isOthers || seenUris.has(uri) ? alias(id, uri) : uri;
      if (seenUris.has(name)) continue;
      seenUris.add(name);
      const own = name === uri ? listed : { ...listed, [field]: name };
      all.push(redactJson(own, gateway.backend.redact) as JsonObject);
    }
  }
  return all;
};

export const listResources = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> =>
  withCacheHints(connection, {
    resources: await listAllResources(
      connection,
      principalOf(connection, context),
      resourceListKinds.resources,
    ),
  });

export const listTemplates = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> =>
  withCacheHints(connection, {
    resourceTemplates: await listAllResources(
      connection,
      principalOf(connection, context),
      resourceListKinds.templates,
    ),
  });

const withRequestedUri = (requestedUri: string, uri: string, result: Result): Result => {
  if (requestedUri === uri || !Array.isArray(result.contents)) return result;
  const contents = result.contents.map((each) => (each?.uri === uri ? { ...each, uri: requestedUri } : each));
  return { ...result, contents };
};

const notFoundCodes: ReadonlySet<unknown> = new Set([-32002, -32602]);

export const readResource = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const { redact } = gateway.backend;
  const asked = requireTextParam(params, "uri", "resources/read");
  const run = async (live: LiveCall): Promise<Result> => {
    const owners = await findResourceOwners(gateway, resourceServers(gateway, live.principal), asked);
    for (const [index, { server, uri }] of owners.entries()) {
      const call = { tool: server.readResource!, input: { uri }, ...requestMetaOf(connection, context) };
      const reply = await runGatewayCall(gateway, live, call);
      if (index < owners.length - 1 && notFoundCodes.has(protocolErrorOf(reply.failure, live)?.code))
        continue;
      return withRequestedUri(asked, uri, toRequestResult(reply, live, redact));
    }
    throw new ResourceNotFoundError(asked, `Resource not found: ${sanitizeUntrustedText(asked)}`);
  };
  const result = await handleRequest(connection, context, { method: "resources/read", name: asked, run });
  if (!usesModernProtocol(connection) || result.resultType !== undefined) return result;
  return { ...result, cacheScope: "private" };
};
