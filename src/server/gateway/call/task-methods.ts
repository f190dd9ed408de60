import {
  MissingRequiredClientCapabilityError,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import type { Principal } from "../../../types/principal.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  invalidParamsError,
  principalOf,
} from "../client-connection.ts";
import { supportsTasks, tasksExtension } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";
import { lostTaskError } from "./lost-call.ts";

const requireTasksExtension = (connection: ClientConnection, context: ServerContext): void => {
  if (supportsTasks(capabilitiesOf(connection, context))) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
};

const callOf = (connection: ClientConnection, { taskId }: JsonObject, principal: Principal): LiveCall =>
  requireTask(connection, taskId, connection.gateway.tasks.find(taskId, principal));

const requireTask = <A>({ gateway }: ClientConnection, taskId: unknown, task: A | undefined): A => {
  if (task !== undefined) return task;
  throw gateway.handles.isOfOtherGateway(taskId)
    ? lostTaskError()
    : invalidParamsError("Unknown task: it has expired or never existed.");
};

export const getTask = (
  connection: ClientConnection,
  { taskId }: JsonObject,
  context: ServerContext,
): Result => {
  requireTasksExtension(connection, context);
  const task = connection.gateway.tasks.get(taskId, principalOf(connection, context));
  return requireTask(connection, taskId, task);
};

export const updateTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  requireTasksExtension(connection, context);
  const principal = principalOf(connection, context);
  const call = callOf(connection, params, principal);
  call.principal = principal;
  call.inputRequests.answer(context.mcpReq.inputResponses);
  return {};
};

export const cancelTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  requireTasksExtension(connection, context);
  const call = callOf(connection, params, principalOf(connection, context));
  call.cancel(new Error("The client cancelled the task."));
  return {};
};
