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
import type { GatewayState } from "../gateway-state.ts";
import { findPeerHandle, resumeOnPeer } from "../peers/resume-on-peer.ts";
import { supportsTasks, tasksExtension } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

const requireTasksExtension = (connection: ClientConnection, context: ServerContext): void => {
  if (supportsTasks(capabilitiesOf(connection, context))) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
};

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
};

export const getTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  requireTasksExtension(connection, context);
  const principal = principalOf(connection, context);
  return (
    forwardToHolder(connection, "tasks/get", params, context, principal) ??
    taskResult(connection.gateway, params.taskId, principal)
  );
};

export const updateTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  requireTasksExtension(connection, context);
  const principal = principalOf(connection, context);
  const elsewhere = forwardToHolder(connection, "tasks/update", params, context, principal);
  if (elsewhere !== undefined) return elsewhere;
  const call = taskOf(connection.gateway, params.taskId, principal);
  call.principal = principal;
  call.inputRequests.answer(context.mcpReq.inputResponses);
  return {};
};

export const cancelTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  requireTasksExtension(connection, context);
  const principal = principalOf(connection, context);
  return (
    forwardToHolder(connection, "tasks/cancel", params, context, principal) ??
    cancelTaskCall(taskOf(connection.gateway, params.taskId, principal))
  );
};
