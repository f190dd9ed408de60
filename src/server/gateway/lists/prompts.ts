import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import type { Principal } from "../../../types/principal.ts";
import { toRequestResult } from "../call/call-result.ts";
import { handleRequest } from "../call/handle-request.ts";
import type { LiveCall } from "../call/live-call.ts";
import { redactJson } from "../call/redact-json.ts";
import { requestMetaOf } from "../call/request-meta.ts";
import { runGatewayCall } from "../call/run-gateway-call.ts";
import {
  type ClientConnection,
  invalidParamsError,
  principalOf,
  requireTextParam,
} from "../client-connection.ts";
import type { UpstreamServer } from "../gateway-backend.ts";
import type { GatewayState } from "../gateway-state.ts";
import { fetchUpstreamList } from "./upstream-lists.ts";
import { withCacheHints } from "./with-cache-hints.ts";

interface UpstreamPrompt {
  readonly server: UpstreamServer;
  /** At the upstream server. */
  readonly name: string;
  readonly listed: JsonObject;
}

/** By listed name: several servers with one name get their server ID as a prefix. */
export const listUpstreamPrompts = async (
  gateway: GatewayState,
  principal: Principal,
): Promise<ReadonlyMap<string, UpstreamPrompt>> => {
  const servers = gateway.backend.servers(principal).filter(({ getPrompt }) => getPrompt !== undefined);
  const lists = await Promise.allSettled(
    servers.map(({ session }) => fetchUpstreamList(gateway, session, "prompts")),
  );
  const all: UpstreamPrompt[] = [];
  const owners = new Map<string, number>();
  for (const [index, list] of lists.entries()) {
    const seen = new Set<string>();
    for (const listed of list.status === "fulfilled" ? list.value : []) {
      const { name } = listed;
      if (typeof name !== "string" || seen.has(name)) continue;
      seen.add(name);
      owners.set(name, (owners.get(name) ?? 0) + 1);
      all.push({ server: servers[index]!, name, listed });
    }
  }
  const found = new Map<string, UpstreamPrompt>();
  for (const prompt of all) if (owners.get(prompt.name) === 1) found.set(prompt.name, prompt);
  for (const prompt of all) {
    if (owners.get(prompt.name) === 1) continue;
    let name = `${prompt.server.id}__${prompt.name}`;
    while (found.has(name)) name = `${name}_`;
    found.set(name, { ...prompt, listed: { ...prompt.listed, name } });
  }
  return found;
};

export const listPrompts = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const found = await listUpstreamPrompts(gateway, principalOf(connection, context));
  const prompts = [...found.values()].map(({ listed }) => redactJson(listed, gateway.backend.redact));
  return withCacheHints(connection, { prompts });
};

export const getPrompt = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const name = requireTextParam(params, "name", "prompts/get");
  // The list may change before a retry, so only the name must match.
  const run = async (live: LiveCall): Promise<Result> => {
    const prompt = (await listUpstreamPrompts(gateway, live.principal)).get(name);
    if (prompt === undefined) throw invalidParamsError(`Unknown prompt: ${sanitizeUntrustedText(name)}`);
    const given = params.arguments;
    const input = { name: prompt.name, ...(given === undefined ? {} : { arguments: given }) };
    const reply = await runGatewayCall(gateway, live, {
      tool: prompt.server.getPrompt!,
      input,
      ...requestMetaOf(connection, context),
    });
    return toRequestResult(reply, live, gateway.backend.redact);
  };
  return handleRequest(connection, context, { method: "prompts/get", name, input: params.arguments, run });
};
