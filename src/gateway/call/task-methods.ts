import {
  MissingRequiredClientCapabilityError,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { type ClientConnection, capabilitiesOf, invalid, principalOf } from "../client-connection.ts";
import { takesTasks, tasksExtension } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

/** Whoever does not know tasks was never given one. */
const checkExtension = (connection: ClientConnection, context: ServerContext): void => {
  if (takesTasks(capabilitiesOf(connection, context))) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
};

const unknown = () => invalid("Unknown task: it expired, or it never was.");

const taskOf = (connection: ClientConnection, { taskId }: JsonObject, context: ServerContext): LiveCall => {
  checkExtension(connection, context);
  const call = connection.gateway.tasks.find(taskId, principalOf(connection, context));
  if (call === undefined) throw unknown();
  return call;
};

export const getTask = (
  connection: ClientConnection,
  { taskId }: JsonObject,
  context: ServerContext,
): Result => {
  checkExtension(connection, context);
  const task = connection.gateway.tasks.get(taskId, principalOf(connection, context));
  if (task === undefined) throw unknown();
  return task;
};

export const updateTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  const call = taskOf(connection, params, context);
  call.principal = principalOf(connection, context);
  call.questions.answer(context.mcpReq.inputResponses);
  return {};
};

export const cancelTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  taskOf(connection, params, context).cancel(new Error("The client cancelled the task."));
  return {};
};
