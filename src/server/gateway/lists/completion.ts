import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import { plainResult } from "../call/call-result.ts";
import { converse } from "../call/converse.ts";
import type { LiveCall } from "../call/live-call.ts";
import { requestMeta } from "../call/request-meta.ts";
import { runCall } from "../call/run-call.ts";
import { type ClientConnection, invalid, principalOf } from "../client-connection.ts";
import type { ServedServer } from "../served.ts";
import { ownersOf, resourceServers } from "./owners.ts";
import { promptsOf } from "./prompts.ts";

interface CompletionTarget {
  readonly server: ServedServer;
  readonly ref: JsonObject;
}

/** Asks the server whose prompt or resource it is: what was typed so far leaves this process, so it is a call like any other. */
export const complete = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const { server, ref } = await referenceOf(connection, params.ref, context);
  // A server that completes nothing, or does so for others only.
  if (server.completeArgument === undefined) return { completion: { values: [] } };
  const tool = server.completeArgument;
  const { argument, context: known } = params;
  const input = { ref, argument, ...(known === undefined ? {} : { context: known }) };
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await runCall(gateway, live, { tool, input, ...requestMeta(connection, context) });
    return plainResult(reply, live, gateway.served.redact);
  };
  return converse(connection, context, { method: "completion/complete", name: tool, run });
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
