import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import { toRequestResult } from "../call/call-result.ts";
import { handleRequest } from "../call/handle-request.ts";
import type { LiveCall } from "../call/live-call.ts";
import { requestMetaOf } from "../call/request-meta.ts";
import { runGatewayCall } from "../call/run-gateway-call.ts";
import { type ClientConnection, invalidParamsError, principalOf } from "../client-connection.ts";
import type { UpstreamServer } from "../gateway-backend.ts";
import { listUpstreamPrompts } from "./prompts.ts";
import { findResourceOwners, resourceServers } from "./resource-owners.ts";

interface CompletionTarget {
  readonly server: UpstreamServer;
  readonly ref: JsonObject;
}

/** A pipeline call, because the typed text leaves this process. */
export const completeArgument = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const { server, ref } = await referenceOf(connection, params.ref, context);
  if (server.completeArgument === undefined) return { completion: { values: [] } };
  const tool = server.completeArgument;
  const { argument, context: known } = params;
  const input = { ref, argument, ...(known === undefined ? {} : { context: known }) };
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await runGatewayCall(gateway, live, { tool, input, ...requestMetaOf(connection, context) });
    return toRequestResult(reply, live, gateway.backend.redact);
  };
  return handleRequest(connection, context, { method: "completion/complete", name: tool, run });
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
    const prompt = (await listUpstreamPrompts(gateway, principal)).get(name);
    if (prompt === undefined) throw invalidParamsError(`Unknown prompt: ${sanitizeUntrustedText(name)}`);
    return { server: prompt.server, ref: { ...(ref as JsonObject), name: prompt.name } };
  }
  if (type === "ref/resource" && typeof uri === "string") {
    const [owner] = await findResourceOwners(gateway, resourceServers(gateway, principal), uri);
    if (owner === undefined) throw invalidParamsError(`Unknown resource: ${sanitizeUntrustedText(uri)}`);
    return { server: owner.server, ref: { ...(ref as JsonObject), uri: owner.uri } };
  }
  throw invalidParamsError(
    "Invalid params: completion/complete needs /params/ref to name a prompt or a resource.",
  );
};
