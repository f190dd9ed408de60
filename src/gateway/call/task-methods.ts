import {
  MissingRequiredClientCapabilityError,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type ClientConnection,
  capabilitiesOf,
  invalid,
  type Params,
  principalOf,
} from "../client-connection.ts";
import { takesTasks, tasksExtension } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

/** Whoever does not know tasks was never given one. */
const checkExtension = (line: ClientConnection, context: ServerContext): void => {
  if (takesTasks(capabilitiesOf(line, context))) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
};

const unknown = () => invalid("Unknown task: it expired, or it never was.");

const taskOf = (line: ClientConnection, { taskId }: Params, context: ServerContext): LiveCall => {
  checkExtension(line, context);
  const call = line.front.tasks.find(taskId, principalOf(line, context));
  if (call === undefined) throw unknown();
  return call;
};

export const getTask = (line: ClientConnection, { taskId }: Params, context: ServerContext): Result => {
  checkExtension(line, context);
  const task = line.front.tasks.get(taskId, principalOf(line, context));
  if (task === undefined) throw unknown();
  return task;
};

export const updateTask = (line: ClientConnection, params: Params, context: ServerContext): Result => {
  const call = taskOf(line, params, context);
  call.principal = principalOf(line, context);
  call.questions.answer(context.mcpReq.inputResponses);
  return {};
};

export const cancelTask = (line: ClientConnection, params: Params, context: ServerContext): Result => {
  taskOf(line, params, context).cancel(new Error("The client cancelled the task."));
  return {};
};
