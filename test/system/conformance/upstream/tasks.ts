import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  type InputRequests,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { capabilitiesOf } from "./fixture.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Work that continues after its call was answered. */
export interface Work {
  readonly signal: AbortSignal;
  /** Resolves when all requests are answered, in any number of parts. */
  readonly ask: (requests: InputRequests) => Promise<Readonly<Record<string, unknown>>>;
}

interface Task {
  readonly taskId: string;
  readonly createdAt: string;
  readonly stop: AbortController;
  lastUpdatedAt: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  result?: CallToolResult;
  error?: { readonly code: number; readonly message: string };
  open: Record<string, InputRequests[string]>;
  answers: Record<string, unknown>;
  answered?: (answers: Readonly<Record<string, unknown>>) => void;
}

export const hasTasks = (context: ServerContext): boolean => {
  const { extensions } = capabilitiesOf(context) as { extensions?: Readonly<Record<string, unknown>> };
  return extensions?.[tasksExtension] !== undefined;
};

export const refuseWithoutTasks = (context: ServerContext): void => {
  if (hasTasks(context)) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, "This needs the tasks extension.");
};

const tasks = new Map<string, Task>();
const final = new Set(["completed", "failed", "cancelled"]);

const move = (task: Task, change: Partial<Task>): void => {
  if (final.has(task.status)) return;
  Object.assign(task, change, { lastUpdatedAt: new Date().toISOString() });
};

const wireOf = ({ taskId, status, createdAt, lastUpdatedAt }: Task) => ({
  taskId,
  status,
  createdAt,
  lastUpdatedAt,
  ttlMs: 60_000,
  pollIntervalMs: 100,
});

const askOf =
  (task: Task): Work["ask"] =>
  (requests) =>
    new Promise((answered) => {
      move(task, { status: "input_required", open: { ...requests }, answers: {}, answered });
    });

/** Starts the work and returns its task. */
export const startTask = (work: (work: Work) => Promise<CallToolResult>): CallToolResult => {
  const now = new Date().toISOString();
  const task: Task = {
    taskId: randomUUID(),
    createdAt: now,
    lastUpdatedAt: now,
    status: "working",
    stop: new AbortController(),
    open: {},
    answers: {},
  };
  tasks.set(task.taskId, task);
  work({ signal: task.stop.signal, ask: askOf(task) }).then(
    (result) => move(task, { status: "completed", result }),
    (error: Error) => {
      move(task, {
        status: "failed",
        error: { code: ProtocolErrorCode.InternalError, message: error.message },
      });
    },
  );
  return { ...wireOf(task), resultType: "task" } as unknown as CallToolResult;
};

const find = (taskId: string): Task => {
  const task = tasks.get(taskId);
  if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task.");
  return task;
};

export const getTask = (taskId: string) => {
  const task = find(taskId);
  return {
    ...wireOf(task),
    ...(task.status === "completed" && { result: task.result }),
    ...(task.status === "failed" && { error: task.error }),
    ...(task.status === "input_required" && { inputRequests: task.open }),
  };
};

export const updateTask = (taskId: string, responses: Readonly<Record<string, unknown>>) => {
  const task = find(taskId);
  for (const key of Object.keys(task.open).filter(
    (each) => inputResponse(responses, each).kind !== "missing",
  )) {
    task.answers[key] = responses[key];
    delete task.open[key];
  }
  if (task.status === "input_required" && Object.keys(task.open).length === 0) {
    move(task, { status: "working" });
    task.answered?.(task.answers);
  }
  return {};
};

export const cancelTask = (taskId: string) => {
  const task = find(taskId);
  move(task, { status: "cancelled" });
  task.stop.abort();
  return {};
};
