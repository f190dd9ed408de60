import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import { redactJson } from "../call/redact-json.ts";
import { type ClientConnection, invalid, principalOf } from "../client-connection.ts";
import type { ServedServer } from "../served.ts";
import { ownersOf, resourceServers } from "./owners.ts";
import { promptsOf } from "./prompts.ts";

interface CompletionTarget {
  readonly server: ServedServer;
  readonly ref: JsonObject;
}

/** Asks the server whose prompt or resource it is. */
export const complete = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { server, ref } = await referenceOf(connection, params.ref, context);
  if (server.session.capabilities.completions === undefined) return { completion: { values: [] } };
  const { argument, context: known } = params;
  const result = await server.session.request({
    method: "completion/complete",
    params: { ref, argument, ...(known === undefined ? {} : { context: known }) },
    signal: context.mcpReq.signal,
    timeoutMs: connection.gateway.listTimeoutMs,
  });
  return redactJson(result, connection.gateway.served.redact) as Result;
};

const referenceOf = async (
  connection: ClientConnection,
  ref: unknown,
  context: ServerContext,
): Promise<CompletionTarget> => {
  const { type, name, uri } = (ref ?? {}) as JsonObject;
  const { gateway } = connection;
  const principal = principalOf(connection, context);
  if (type === "ref/prompt" && typeof name === "string") {
    const prompt = (await promptsOf(gateway, principal)).get(name);
    if (prompt === undefined) throw invalid(`Unknown prompt: ${foreignWords(name)}`);
    return { server: prompt.server, ref: { ...(ref as JsonObject), name: prompt.name } };
  }
  if (type === "ref/resource" && typeof uri === "string") {
    const [owner] = await ownersOf(gateway, resourceServers(gateway, principal), uri);
    if (owner === undefined) throw invalid(`Unknown resource: ${foreignWords(uri)}`);
    return { server: owner.server, ref: { ...(ref as JsonObject), uri: owner.uri } };
  }
  throw invalid("Invalid params: completion/complete needs /params/ref to name a prompt or a resource.");
};
