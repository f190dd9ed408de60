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

<<<<<<< HEAD
const callOf = (connection: ClientConnection, { taskId }: JsonObject, principal: Principal): LiveCall =>
  requireTask(connection, taskId, connection.gateway.tasks.find(taskId, principal));

const requireTask = <A>({ gateway }: ClientConnection, taskId: unknown, task: A | undefined): A => {
  if (task !== undefined) return task;
  throw gateway.handles.isOfOtherGateway(taskId)
    ? lostTaskError()
    : invalidParamsError("Unknown task: it expired, or it never was.");
=======
const unknownTaskError = () => invalidParamsError("Unknown task: it has expired or never existed.");

export const taskOf = ({ tasks }: GatewayState, taskId: unknown, principal: Principal): LiveCall => {
  const call = tasks.find(taskId, principal);
  if (call === undefined) throw unknownTaskError();
  return call;
};

export const taskResult = ({ tasks }: GatewayState, taskId: unknown, principal: Principal): Result => {
  const task = tasks.get(taskId, principal);
  if (task === undefined) throw unknownTaskError();
  return task;
};

export const cancelTaskCall = (call: LiveCall): Result => {
  call.cancel(new Error("The client cancelled the task."));
  return {};
};

const lostTaskError = () =>
  invalidParamsError(
    "Unknown task: its gateway has stopped. The call may have run. Check whether it took effect before you call again.",
  );

const forwardToHolder = (
  { gateway }: ClientConnection,
  method: string,
  { taskId }: JsonObject,
  context: ServerContext,
  principal: Principal,
): Promise<Result> | undefined => {
  const holder = findPeerHandle(gateway, taskId);
  if (holder === undefined) return undefined;
  const { signal, inputResponses: answers } = context.mcpReq;
  const request = { kind: "task", method, taskId: holder.handle, answers, principal } as const;
  return resumeOnPeer(holder, request, signal).then((told) => {
    if (told === undefined) throw lostTaskError();
    return told;
  });
>>>>>>> words
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
