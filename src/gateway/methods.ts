import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json/is-object.ts";
import { toProtocolError } from "./call/call-result.ts";
import { updateTask } from "./call/task-methods.ts";
import type { ClientConnection } from "./client-connection.ts";
import { complete } from "./lists/completion.ts";
import { subscribe, unsubscribe } from "./lists/follow-resource.ts";
import { setLevel } from "./lists/log-levels.ts";
import { getPrompt, listPrompts } from "./lists/prompts.ts";
import { listResources, listTemplates, readResource } from "./lists/resources.ts";
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

export const isMethod = (name: unknown): boolean => typeof name === "string" && methods.has(name);

const none: JsonObject = Object.freeze({});

export const answer = async (
  connection: ClientConnection,
  request: { readonly method: string; readonly params?: unknown },
  context: ServerContext,
  method: Method | undefined = methods.get(request.method),
): Promise<Result> => {
  if (method === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  try {
    return await method(connection, (request.params as JsonObject | undefined) ?? none, context);
  } catch (error) {
    throw toProtocolError(error, connection.gateway.served.redact);
  }
};
