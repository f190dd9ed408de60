import {
  MissingRequiredClientCapabilityError,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import type { Principal } from "../../words/principal.ts";
import { type ClientConnection, capabilitiesOf, invalid, principalOf } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { goOnElsewhere, holderElsewhere } from "../peers/go-on-elsewhere.ts";
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

export const taskOf = ({ tasks }: GatewayState, taskId: unknown, principal: Principal): LiveCall => {
  const call = tasks.find(taskId, principal);
  if (call === undefined) throw unknown();
  return call;
};

export const toldTask = ({ tasks }: GatewayState, taskId: unknown, principal: Principal): Result => {
  const task = tasks.get(taskId, principal);
  if (task === undefined) throw unknown();
  return task;
};

export const cancelledTask = (call: LiveCall): Result => {
  call.cancel(new Error("The client cancelled the task."));
  return {};
};

const lost = () =>
  invalid(
    "Unknown task: the gateway that had it has ended. Its call may have run: find out before you ask for it again.",
  );

/** Of a task that another gateway has, what that one says; nothing where it is here. */
const askElsewhere = (
  { gateway }: ClientConnection,
  method: string,
  { taskId }: JsonObject,
  context: ServerContext,
  principal: Principal,
): Promise<Result> | undefined => {
  const elsewhere = holderElsewhere(gateway, taskId);
  if (elsewhere === undefined) return undefined;
  const { signal, inputResponses: answers } = context.mcpReq;
  const question = { kind: "task", method, taskId: elsewhere.handle, answers, principal } as const;
  return goOnElsewhere(elsewhere, question, signal).then((told) => {
    if (told === undefined) throw lost();
    return told;
  });
};

export const getTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  checkExtension(connection, context);
  const principal = principalOf(connection, context);
  return (
    askElsewhere(connection, "tasks/get", params, context, principal) ??
    toldTask(connection.gateway, params.taskId, principal)
  );
};

export const updateTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  checkExtension(connection, context);
  const principal = principalOf(connection, context);
  const elsewhere = askElsewhere(connection, "tasks/update", params, context, principal);
  if (elsewhere !== undefined) return elsewhere;
  const call = taskOf(connection.gateway, params.taskId, principal);
  call.principal = principal;
  call.questions.answer(context.mcpReq.inputResponses);
  return {};
};

export const cancelTask = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result | Promise<Result> => {
  checkExtension(connection, context);
  const principal = principalOf(connection, context);
  return (
    askElsewhere(connection, "tasks/cancel", params, context, principal) ??
    cancelledTask(taskOf(connection.gateway, params.taskId, principal))
  );
};
