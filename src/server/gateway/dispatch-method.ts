import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json/is-object.ts";
import { toProtocolError } from "./call/call-result.ts";
import { updateTask } from "./call/task-methods.ts";
import { type ClientConnection, holdPlaceOf, invalid, principalOf } from "./client-connection.ts";
import { complete } from "./lists/completion.ts";
import { subscribe, unsubscribe } from "./lists/follow-resource.ts";
import { setLevel } from "./lists/log-levels.ts";
import { getPrompt, listPrompts } from "./lists/prompts.ts";
import { listResources, listTemplates, readResource } from "./lists/resources.ts";
import { meantCall } from "./search/call-by-name.ts";
import { callTool, listTools } from "./tools.ts";

type Method = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
) => Result | Promise<Result>;

/** The SDK lets through only what the client's era has, and answers the lifecycle itself. */
const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["completion/complete", complete],
  ["logging/setLevel", setLevel],
  ["tasks/update", updateTask],
]);

/** These ask what there is, so the answer is worth a wait for servers that are just starting. */
const asksAll: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "completion/complete",
]);

/**
 * A tool that is there already is called at once, whoever else is still starting. Those that search are no tools of the
 * runtime: they wait, since they are about everything there is.
 */
const isThere = (connection: ClientConnection, params: JsonObject, context: ServerContext): boolean => {
  const { served } = connection.gateway;
  const { name } = params;
  if (typeof name !== "string") return true;
  const listed = served.listedName?.(name) ?? name;
  return served
    .tools(principalOf(connection, context), { showsApps: true })
    .some((tool) => tool.name === listed);
};

const untilReady = (
  connection: ClientConnection,
  method: string,
  params: JsonObject,
  context: ServerContext,
): Promise<void> | undefined => {
  const ready = connection.gateway.served.ready?.();
  if (ready === undefined) return undefined;
  if (method === "tools/call") return isThere(connection, params, context) ? undefined : ready;
  return asksAll.has(method) ? ready : undefined;
};

export const isMethod = (name: unknown): boolean => typeof name === "string" && methods.has(name);

const none: JsonObject = Object.freeze({});

const paramsOf = (
  { gateway }: ClientConnection,
  { method, params = none }: { readonly method: string; readonly params?: unknown },
): JsonObject => {
  if (method !== "tools/call" || gateway.served.search === undefined) return params as JsonObject;
  const meant = meantCall(params as JsonObject);
  if (meant.ok) return meant.params;
  throw invalid(meant.problem);
};

export const answer = async (
  connection: ClientConnection,
  request: { readonly method: string; readonly params?: unknown },
  context: ServerContext,
  method: Method | undefined = methods.get(request.method),
): Promise<Result> => {
  if (method === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  const params = paramsOf(connection, request);
  // A client may hang up while its request is still being answered.
  const release = holdPlaceOf(connection, context);
  try {
    const starting = untilReady(connection, request.method, params, context);
    if (starting !== undefined) await starting;
    return await method(connection, params, context);
  } catch (error) {
    throw toProtocolError(error, connection.gateway.served.redact);
  } finally {
    release();
  }
};
