import { ResourceNotFoundError, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import type { Principal } from "../../words/principal.ts";
import { plainResult, refusalOf } from "../call/call-result.ts";
import { converse } from "../call/converse.ts";
import type { LiveCall } from "../call/live-call.ts";
import { redactJson } from "../call/redact-json.ts";
import { requestMeta } from "../call/request-meta.ts";
import { runCall } from "../call/run-call.ts";
import { type ClientConnection, isModern, principalOf, textParam } from "../client-connection.ts";
import { isUi, uiAlias } from "../ui-addresses.ts";
import { cached } from "./cached.ts";
import { ownersOf, resourceServers } from "./owners.ts";
import { listOf } from "./upstream-lists.ts";

interface ResourceList {
  readonly list: "resources" | "resourceTemplates";
  readonly field: "uri" | "uriTemplate";
  readonly alias: (id: string, uri: string) => string;
}

const kinds = {
  resources: {
    list: "resources",
    field: "uri",
    alias: (id, uri) => (isUi(uri) ? uiAlias(id, uri) : `haft://${id}/${encodeURIComponent(uri)}`),
  },
  // A template has to stay one, so it is not encoded.
  templates: {
    list: "resourceTemplates",
    field: "uriTemplate",
    alias: (id, uri) => `haft-template://${id}/${uri}`,
  },
} as const satisfies Record<string, ResourceList>;

/** In the order of the configuration. What an earlier server has under the same URI, a later one has under its id. */
const aggregated = async (
  connection: ClientConnection,
  principal: Principal,
  { list, field, alias }: ResourceList,
): Promise<JsonObject[]> => {
  const { gateway } = connection;
  const servers = resourceServers(gateway, principal);
  const lists = await Promise.allSettled(servers.map(({ session }) => listOf(gateway, session, list)));
  const taken = new Set<string>();
  const all: JsonObject[] = [];
  for (const [index, found] of lists.entries()) {
    for (const listed of found.status === "fulfilled" ? found.value : []) {
      const uri = listed[field];
      if (typeof uri !== "string") continue;
      const { id } = servers[index]!;
      const isOthers = (gateway.served.uiOwner?.(uri) ?? id) !== id;
      const name = isOthers || taken.has(uri) ? alias(id, uri) : uri;
      if (taken.has(name)) continue;
      taken.add(name);
      const own = name === uri ? listed : { ...listed, [field]: name };
      all.push(redactJson(own, gateway.served.redact) as JsonObject);
    }
  }
  return all;
};

export const listResources = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> =>
  cached(connection, {
    resources: await aggregated(connection, principalOf(connection, context), kinds.resources),
  });

export const listTemplates = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> =>
  cached(connection, {
    resourceTemplates: await aggregated(connection, principalOf(connection, context), kinds.templates),
  });

/** What a client asked for by another name comes back under that name. */
const calledAs = (asked: string, uri: string, result: Result): Result => {
  if (asked === uri || !Array.isArray(result.contents)) return result;
  const contents = result.contents.map((each) => (each?.uri === uri ? { ...each, uri: asked } : each));
  return { ...result, contents };
};

const notFound: ReadonlySet<unknown> = new Set([-32002, -32602]);

export const readResource = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const { redact } = gateway.served;
  const asked = textParam(params, "uri", "resources/read");
  const run = async (live: LiveCall): Promise<Result> => {
    const owners = await ownersOf(gateway, resourceServers(gateway, live.principal), asked);
    for (const [index, { server, uri }] of owners.entries()) {
      const call = { tool: server.readResource!, input: { uri }, ...requestMeta(connection, context) };
      const reply = await runCall(gateway, live, call);
      // Where nobody lists it, whoever knows it answers.
      if (index < owners.length - 1 && notFound.has(refusalOf(reply.failure, live)?.code)) continue;
      return calledAs(asked, uri, plainResult(reply, live, redact));
    }
    throw new ResourceNotFoundError(asked, `Resource not found: ${foreignWords(asked)}`);
  };
  const result = await converse(connection, context, { method: "resources/read", name: asked, run });
  if (!isModern(connection) || result.resultType !== undefined) return result;
  return { ...result, cacheScope: "private" };
};
