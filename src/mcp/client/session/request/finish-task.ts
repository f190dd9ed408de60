import type { RequestOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";
import { requestCallerInput } from "../server-requests.ts";
import { requestTimeoutError } from "../session-errors.ts";
import { callServer } from "./call-server.ts";
import { requestParams } from "./request-options.ts";
import type { RequestStep } from "./request-step.ts";
import { createTimeLimit, maxTimeoutMs } from "./request-time-limit.ts";
import { type ServerTask, waitForTask } from "./wait-for-task.ts";

const cancelGraceMs = 5_000;

/** Every status change extends the deadline. */
export const finishTask = async (step: RequestStep, task: ServerTask): Promise<JsonObject> => {
  const { connection, request, info } = step;
  const timeLimitOfStep = step.deadline === undefined ? createTimeLimit(step) : undefined;
  const deadline = step.deadline ?? timeLimitOfStep?.deadline;
  const signal = timeLimitOfStep?.signal ?? step.options.signal;
  const callerRequest = { method: "", ...(request.caller === undefined ? {} : { caller: request.caller }) };
  const send = (method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> => {
    const all = requestParams(connection, { ...callerRequest, params }) as JsonObject;
    return callServer(connection.client, { method, params: all }, { ...options, allowInputRequired: true });
  };
  const options: RequestOptions = { timeout: maxTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  try {
    return await waitForTask(task, {
      asked: info,
      signal,
      isModern: connection.isModern,
      send: (method, params) => send(method, params, options),
      sendAnyway: (method, params) => {
        send(method, params, { timeout: cancelGraceMs }).catch(() => {});
      },
      ask: async (requests) => {
        deadline?.pause();
        try {
          return await requestCallerInput(requests, request.caller, info);
        } finally {
          deadline?.resume();
        }
      },
      onUpdate: (update) => {
        deadline?.extend();
        request.onProgress?.(update);
        request.caller?.progressed?.(update);
      },
    });
  } catch (error) {
    throw timeLimitOfStep?.isOver() === true ? requestTimeoutError(info, true) : error;
  } finally {
    timeLimitOfStep?.deadline.clear();
  }
};
