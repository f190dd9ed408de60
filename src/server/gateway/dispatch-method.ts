import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../base/json/is-object.ts";
import { sanitizeUntrustedText } from "../../mcp/client/transport/sanitize-foreign-text.ts";
import { toProtocolError, toRequestResult } from "./call/call-result.ts";
import { handleRequest } from "./call/handle-request.ts";
import type { LiveCall } from "./call/live-call.ts";
import { requestMetaOf } from "./call/request-meta.ts";
import { runGatewayCall } from "./call/run-gateway-call.ts";
import { updateTask } from "./call/task-methods.ts";
import { type ClientConnection, holdSlotOf, invalidParamsError, principalOf } from "./client-connection.ts";
import type { UpstreamServer } from "./gateway-backend.ts";
import { setLogLevel } from "./lists/log-levels.ts";
import { getPrompt, listPrompts, listUpstreamPrompts } from "./lists/prompts.ts";
import { findResourceOwners, resourceServers } from "./lists/resource-owners.ts";
import { subscribeResource, unsubscribeResource } from "./lists/resource-subscriptions.ts";
import { listResources, listTemplates, readResource } from "./lists/resources.ts";
import { resolveCallTool } from "./search/resolve-call-tool.ts";
import { callTool, listTools } from "./tool-methods.ts";

interface CompletionTarget {
  readonly server: UpstreamServer;
  readonly ref: JsonObject;
}

/** A pipeline call, because the typed text leaves this process. */
const completeArgument = async (
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

type MethodHandler = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
) => Result | Promise<Result>;

/** The SDK handles the lifecycle and passes only methods of the client's protocol. */
const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["resources/subscribe", subscribeResource],
  ["resources/unsubscribe", unsubscribeResource],
  ["completion/complete", completeArgument],
  ["logging/setLevel", setLogLevel],
  ["tasks/update", updateTask],
]);

const methodsThatWaitForServers: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "completion/complete",
]);

/** Available tools do not wait for starting servers. Search tools do. */
const isToolAvailable = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): boolean => {
  const { backend } = connection.gateway;
  const { name } = params;
  if (typeof name !== "string") return true;
  const listed = backend.listedName?.(name) ?? name;
  return backend
    .tools(principalOf(connection, context), { showsApps: true })
    .some((tool) => tool.name === listed);
};

const whenReady = (
  connection: ClientConnection,
  method: string,
  params: JsonObject,
  context: ServerContext,
): Promise<void> | undefined => {
  const ready = connection.gateway.backend.ready?.();
  if (ready === undefined) return undefined;
  if (method === "tools/call") return isToolAvailable(connection, params, context) ? undefined : ready;
  return methodsThatWaitForServers.has(method) ? ready : undefined;
};

export const isMethod = (name: unknown): boolean => typeof name === "string" && methodHandlers.has(name);

const noParams: JsonObject = Object.freeze({});

const paramsOf = (
  { gateway }: ClientConnection,
  { method, params = noParams }: { readonly method: string; readonly params?: unknown },
): JsonObject => {
  if (method !== "tools/call" || gateway.backend.search === undefined) return params as JsonObject;
  const call = resolveCallTool(params as JsonObject);
  if (call.ok) return call.params;
  throw invalidParamsError(call.problem);
};

export const dispatchMethod = async (
  connection: ClientConnection,
  request: { readonly method: string; readonly params?: unknown },
  context: ServerContext,
  method: MethodHandler | undefined = methodHandlers.get(request.method),
): Promise<Result> => {
  if (method === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  const params = paramsOf(connection, request);
  // The client may disconnect first.
  const release = holdSlotOf(connection, context);
  try {
    const starting = whenReady(connection, request.method, params, context);
    if (starting !== undefined) await starting;
    return await method(connection, params, context);
  } catch (error) {
    throw toProtocolError(error, connection.gateway.backend.redact);
  } finally {
    release();
  }
};
