import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../base/json/json-value.ts";
import { preserveLargeIntegers } from "../../base/json/raw-slices.ts";
import { sanitizeUntrustedText } from "../../mcp/client/transport/sanitize-foreign-text.ts";
import type { Principal } from "../../types/principal.ts";
import { redactJson, toProtocolError, toRequestResult, toToolResult } from "./call/call-result.ts";
import { requestMetaOf, supportsApps } from "./call/client-capabilities.ts";
import { updateTask } from "./call/gateway-tasks.ts";
import { handleRequest } from "./call/handle-request.ts";
import type { LiveCall } from "./call/live-call.ts";
import { runGatewayCall } from "./call/run-gateway-call.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  holdSlotOf,
  invalidParamsError,
  principalOf,
  requireTextParam,
} from "./client-connection.ts";
import type { UpstreamServer } from "./gateway-backend.ts";
import type { GatewayState } from "./gateway-state.ts";
import { toolsByNameOf } from "./listed-tools.ts";
import { findResourceOwners, resourceServers } from "./lists/resource-owners.ts";
import { listResources, listTemplates, readResource } from "./lists/resources.ts";
import { fetchUpstreamList, setLogLevel, withCacheHints } from "./lists/upstream-lists.ts";
import { subscribeResource, unsubscribeResource } from "./lists/upstream-subscriptions.ts";
import { resolveCallTool } from "./search/resolve-call-tool.ts";

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

interface UpstreamPrompt {
  readonly server: UpstreamServer;
  /** At the upstream server. */
  readonly name: string;
  readonly listed: JsonObject;
}

/** By listed name: several servers with one name get their server ID as a prefix. */
const listUpstreamPrompts = async (
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

const listPrompts = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const found = await listUpstreamPrompts(gateway, principalOf(connection, context));
  const prompts = [...found.values()].map(({ listed }) => redactJson(listed, gateway.backend.redact));
  return withCacheHints(connection, { prompts });
};

const getPrompt = async (
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

type MethodHandler = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
) => Result | Promise<Result>;

const listTools = (connection: ClientConnection, _params: JsonObject, context: ServerContext): Result => {
  const principal = principalOf(connection, context);
  const showsApps = supportsApps(capabilitiesOf(connection, context));
  const { backend } = connection.gateway;
  const { loaded } = connection;
  const tools =
    backend.search?.shown(principal, { showsApps, loaded }) ?? backend.tools(principal, { showsApps });
  return withCacheHints(connection, { tools });
};

const callTool = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway, server } = connection;
  const name = requireTextParam(params, "name", "tools/call");
  const input = callInputOf(params.arguments ?? {});
  const run = async (live: LiveCall): Promise<Result> => {
    const reply = await runGatewayCall(gateway, live, {
      tool: name,
      input,
      ...requestMetaOf(connection, context),
    });
    const isRemote = gateway.backend.isRemote?.(name) === true;
    return toToolResult(reply, live, gateway.backend.redact, isRemote);
  };
  const result = await handleRequest(connection, context, { method: "tools/call", name, input, run });
  // Input requests and tasks pass unchanged.
  if (result.resultType !== undefined) return result;
  const final: Result = result.content === undefined ? { ...result, content: [] } : result;
  if (final.structuredContent === undefined) return final;
  const showsApps = supportsApps(capabilitiesOf(connection, context));
  const tools = gateway.backend.tools(principalOf(connection, context), { showsApps });
  return server.projectCallToolResult(final as CallToolResult, toolsByNameOf(tools).get(name)?.outputSchema);
};

/** Haft's transports keep the exact text of objects; others may lose digits of large integers. */
const callInputOf = (given: unknown): unknown => {
  if (typeof given === "string") return given;
  if (typeof given === "object" && !Array.isArray(given)) return preserveLargeIntegers(given);
  throw invalidParamsError("Invalid params: tools/call needs /params/arguments to be an object.");
};

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
