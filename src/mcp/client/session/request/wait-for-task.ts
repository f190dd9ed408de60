import { isObject, type JsonObject } from "../../../../json/is-object.ts";
import type { InputRequests, InputResponses } from "../../../../words/mcp.ts";
import { type RequestContext, refused, unfitting } from "../session-failure.ts";

export interface ServerTask {
  readonly taskId: string;
  readonly status: string;
  readonly pollMs: number | undefined;
  readonly inputRequests: InputRequests | undefined;
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
  readonly statusMessage: string | undefined;
}

const readTask = (value: unknown): ServerTask | undefined => {
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

/** The task a result stands for, in either era's way of writing it. */
export const taskOf = (result: JsonObject): ServerTask | undefined => {
  if (result.resultType === "task") return readTask(result);
  return result.content === undefined && result.task !== undefined ? readTask(result.task) : undefined;
};

export interface TaskPort {
  readonly asked: RequestContext;
  readonly signal: AbortSignal | undefined;
  readonly isModern: boolean;
  readonly send: (method: string, params: JsonObject) => Promise<JsonObject>;
  /** Without waiting for it, and whatever becomes of it. */
  readonly sendAnyway: (method: string, params: JsonObject) => void;
  readonly ask: (requests: InputRequests) => Promise<InputResponses>;
  readonly onUpdate: (update: JsonObject) => void;
}

const bounded = (pollMs: number | undefined): number => Math.min(Math.max(pollMs ?? 500, 20), 30_000);

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
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

/** Asks until the task is done, as often as the server wants to be asked. An abort cancels it there too. */
export const waitForTask = async (first: ServerTask, port: TaskPort): Promise<JsonObject> => {
  const { asked } = port;
  const { taskId } = first;
  let task = first;
  let isDone = false;
  const answered = new Set<string>();
  try {
    for (;;) {
      if (task.status === "completed" || task.status === "failed" || task.status === "cancelled") {
        isDone = true;
        return await outcomeOf(task, port);
      }
      const fresh = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
      if (fresh.length > 0) {
        const inputResponses = await port.ask(Object.fromEntries(fresh));
        for (const [key] of fresh) answered.add(key);
        await port.send("tasks/update", { taskId, inputResponses });
      } else if (task.status === "input_required" && !port.isModern) {
        // Old servers ask their questions while somebody waits for the result.
        isDone = true;
        return await port.send("tasks/result", { taskId });
      } else {
        await pause(bounded(task.pollMs), port.signal);
      }
      const next = readTask(await port.send("tasks/get", { taskId }));
      if (next === undefined || next.taskId !== taskId) throw unfitting(asked, "a task that has no state");
      if (next.statusMessage !== undefined && next.statusMessage !== task.statusMessage) {
        port.onUpdate({ message: next.statusMessage });
      }
      task = next;
    }
  } finally {
    if (!isDone) port.sendAnyway("tasks/cancel", { taskId });
  }
};

const outcomeOf = async (task: ServerTask, port: TaskPort): Promise<JsonObject> => {
  const { asked } = port;
  if (task.status === "cancelled") throw unfitting(asked, "the server cancelled the task");
  if (!port.isModern) return port.send("tasks/result", { taskId: task.taskId });
  if (task.status === "failed") {
    const { code, message, data } = task.error ?? {};
    throw refused(asked, {
      code: typeof code === "number" ? code : -32_603,
      message: typeof message === "string" ? message : "the task failed",
      ...(data === undefined ? {} : { data }),
    });
  }
  if (task.result !== undefined) return task.result;
  const detailed = readTask(await port.send("tasks/get", { taskId: task.taskId }));
  if (detailed?.result === undefined) throw unfitting(asked, "a task that is done and has no result");
  return detailed.result;
};
