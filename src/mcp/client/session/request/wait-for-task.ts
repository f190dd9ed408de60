import { isObject, type JsonObject } from "../../../../base/json/json-value.ts";
import type { InputRequests, InputResponses } from "../../../../types/mcp.ts";
import { type McpRequestInfo, protocolViolationError, serverRefusedError } from "../session-errors.ts";

export interface ServerTask {
  readonly taskId: string;
  readonly status: string;
  readonly pollMs: number | undefined;
  readonly inputRequests: InputRequests | undefined;
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
  readonly statusMessage: string | undefined;
}

const readServerTask = (value: unknown): ServerTask | undefined => {
  if (!isObject(value) || typeof value.taskId !== "string" || typeof value.status !== "string")
    return undefined;
  const pollMs = value.pollIntervalMs ?? value.pollInterval;
  return {
    taskId: value.taskId,
    status: value.status,
    pollMs: typeof pollMs === "number" ? pollMs : undefined,
    inputRequests: isObject(value.inputRequests) ? (value.inputRequests as InputRequests) : undefined,
    result: isObject(value.result) ? value.result : undefined,
    error: isObject(value.error) ? value.error : undefined,
    statusMessage: typeof value.statusMessage === "string" ? value.statusMessage : undefined,
  };
};

export const serverTaskOf = (result: JsonObject): ServerTask | undefined => {
  if (result.resultType === "task") return readServerTask(result);
  return result.content === undefined && result.task !== undefined ? readServerTask(result.task) : undefined;
};

export interface TaskContext {
  readonly asked: McpRequestInfo;
  readonly signal: AbortSignal | undefined;
  readonly isModern: boolean;
  readonly send: (method: string, params: JsonObject) => Promise<JsonObject>;
  /** Fire and forget. */
  readonly sendAnyway: (method: string, params: JsonObject) => void;
  readonly ask: (requests: InputRequests) => Promise<InputResponses>;
  readonly onUpdate: (update: JsonObject) => void;
}

const pollDelayMs = (pollMs: number | undefined): number => Math.min(Math.max(pollMs ?? 500, 20), 30_000);

const sleepUnlessAborted = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });

/** An abort cancels the task on the server. */
export const waitForTask = async (first: ServerTask, context: TaskContext): Promise<JsonObject> => {
  const { asked } = context;
  const { taskId } = first;
  let task = first;
  let isDone = false;
  const answered = new Set<string>();
  try {
    for (;;) {
      if (task.status === "completed" || task.status === "failed" || task.status === "cancelled") {
        isDone = true;
        return await taskOutcome(task, context);
      }
      const fresh = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
      if (fresh.length > 0) {
        const inputResponses = await context.ask(Object.fromEntries(fresh));
        for (const [key] of fresh) answered.add(key);
        await context.send("tasks/update", { taskId, inputResponses });
      } else if (task.status === "input_required" && !context.isModern) {
        // Legacy servers ask for input while `tasks/result` is pending.
        isDone = true;
        return await context.send("tasks/result", { taskId });
      } else {
        await sleepUnlessAborted(pollDelayMs(task.pollMs), context.signal);
      }
      const next = readServerTask(await context.send("tasks/get", { taskId }));
      if (next === undefined || next.taskId !== taskId)
        throw protocolViolationError(asked, "a task without a state");
      if (next.statusMessage !== undefined && next.statusMessage !== task.statusMessage) {
        context.onUpdate({ message: next.statusMessage });
      }
      task = next;
    }
  } finally {
    if (!isDone) context.sendAnyway("tasks/cancel", { taskId });
  }
};

const taskOutcome = async (task: ServerTask, context: TaskContext): Promise<JsonObject> => {
  const { asked } = context;
  if (task.status === "cancelled") throw protocolViolationError(asked, "the server cancelled the task");
  if (!context.isModern) return context.send("tasks/result", { taskId: task.taskId });
  if (task.status === "failed") {
    const { code, message, data } = task.error ?? {};
    throw serverRefusedError(asked, {
      code: typeof code === "number" ? code : -32_603,
      message: typeof message === "string" ? message : "the task failed",
      ...(data === undefined ? {} : { data }),
    });
  }
  if (task.result !== undefined) return task.result;
  const detailed = readServerTask(await context.send("tasks/get", { taskId: task.taskId }));
  if (detailed?.result === undefined)
    throw protocolViolationError(asked, "a completed task without a result");
  return detailed.result;
};
