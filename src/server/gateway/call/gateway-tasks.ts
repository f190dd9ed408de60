import { randomBytes } from "node:crypto";
import {
  MissingRequiredClientCapabilityError,
  RELATED_TASK_META_KEY,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { isSameCaller, type Principal } from "../../../types/principal.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  invalidParamsError,
  principalOf,
} from "../client-connection.ts";
import { supportsTasks, tasksExtension } from "./client-capabilities.ts";
import { lostTaskError } from "./handle-request.ts";
import type { LiveCall } from "./live-call.ts";

/** Handles that clients get for held calls and tasks. */
export interface Handles {
  readonly create: () => string;
  /** A gateway that has ended, or another one, created it. */
  readonly isOfOtherGateway: (handle: unknown) => boolean;
}

export const createHandles = (): Handles => {
  const prefix = `${randomText(6)}.`;
  return {
    create: () => `${prefix}${randomText(16)}`,
    isOfOtherGateway: (handle) =>
      typeof handle === "string" && handlePattern.test(handle) && !handle.startsWith(prefix),
  };
};

const handlePattern = /^[\w-]{8}\.[\w-]{22}$/;

const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");

export interface GatewayTasksOptions {
  readonly handles: Handles;
  readonly ttlMs: number;
  readonly max: number;
  readonly maxPerCaller: number;
}

interface GatewayTask {
  readonly id: string;
  readonly call: LiveCall;
  readonly createdAt: number;
  readonly ttlMs: number;
  readonly timer: NodeJS.Timeout;
  updatedAt: number;
}

const pollIntervalMs = 500;

/** Calls that outlive their request (MCP tasks extension). Only visible to their caller. */
export class GatewayTasks {
  readonly #tasks = new Map<string, GatewayTask>();
  readonly #options: GatewayTasksOptions;

  constructor(options: GatewayTasksOptions) {
    this.#options = options;
  }

  create(call: LiveCall): Result | undefined {
    const { handles, max, maxPerCaller } = this.#options;
    if (this.#tasks.size >= max || this.#countOf(call.principal) >= maxPerCaller) return undefined;
    const id = handles.create();
    const ttlMs = Math.max(this.#options.ttlMs, positiveIntegerMs(call.taskTerms?.ttlMs) ?? 0);
    const timer = setTimeout(() => this.#expire(id), Math.min(ttlMs, 2 ** 31 - 1));
    timer.unref();
    const createdAt = Date.now();
    const task: GatewayTask = { id, call, createdAt, updatedAt: createdAt, ttlMs, timer };
    this.#tasks.set(id, task);
    void call.finished.then(() => {
      task.updatedAt = Date.now();
    });
    return { ...taskFieldsOf(task), status: "working", resultType: "task" };
  }

  find(id: unknown, principal: Principal): LiveCall | undefined {
    const task = this.#findTask(id, principal);
    return task?.call;
  }

  get(id: unknown, principal: Principal): Result | undefined {
    const task = this.#findTask(id, principal);
    return task === undefined ? undefined : { ...taskFieldsOf(task), ...taskStateOf(task.call) };
  }

  cancelAll(reason: unknown): void {
    for (const { call, timer } of this.#tasks.values()) {
      clearTimeout(timer);
      call.cancel(reason);
    }
    this.#tasks.clear();
  }

  #findTask(id: unknown, principal: Principal): GatewayTask | undefined {
    const task = typeof id === "string" ? this.#tasks.get(id) : undefined;
    return task !== undefined && isSameCaller(task.call.principal, principal) ? task : undefined;
  }

  #countOf(principal: Principal): number {
    let count = 0;
    for (const { call } of this.#tasks.values()) if (isSameCaller(call.principal, principal)) count++;
    return count;
  }

  #expire(id: string): void {
    this.#tasks.get(id)?.call.cancel(new Error("The task took longer than its time to live."));
    this.#tasks.delete(id);
  }
}

const positiveIntegerMs = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;

const taskFieldsOf = ({ id, createdAt, updatedAt, ttlMs }: GatewayTask) => ({
  taskId: id,
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
  ttlMs,
  pollIntervalMs,
});

const taskStateOf = (call: LiveCall): Result => {
  if (call.isCancelled) return { status: "cancelled" };
  const { outcome } = call;
  if (outcome === undefined) {
    return call.inputRequests.isOpen
      ? { status: "input_required", inputRequests: call.inputRequests.open() }
      : { status: "working" };
  }
  if (outcome.kind === "result") return { status: "completed", result: withoutRelatedTask(outcome.result) };
  const { code, message, data } = outcome.error;
  return { status: "failed", error: { code, message, ...(data === undefined ? {} : { data }) } };
};

/** The upstream server's task ID is meaningless here. */
const withoutRelatedTask = (result: Result): Result => {
  const { _meta } = result;
  if (_meta === undefined || !(RELATED_TASK_META_KEY in _meta)) return result;
  const { [RELATED_TASK_META_KEY]: _, ...rest } = _meta as Record<string, unknown>;
  return { ...result, _meta: rest };
};

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
