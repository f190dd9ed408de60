import type { RequestOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../json/is-object.ts";
import { askCaller } from "../questions.ts";
import { timedOut } from "../session-failure.ts";
import { askServer } from "./ask-server.ts";
import { paramsOf } from "./request-options.ts";
import type { RequestStep } from "./step.ts";
import { type ServerTask, waitForTask } from "./tasks.ts";
import { neverMs, timeLimit } from "./time-limit.ts";

const farewellMs = 5_000;

/** Within the deadline of the call, which every change of the task's state prolongs. */
export const finishTask = async (step: RequestStep, task: ServerTask): Promise<JsonObject> => {
  const { connection, request, asked } = step;
  const timed = step.deadline === undefined ? timeLimit(step) : undefined;
  const deadline = step.deadline ?? timed?.deadline;
  const signal = timed?.signal ?? step.options.signal;
  const own = { method: "", ...(request.caller === undefined ? {} : { caller: request.caller }) };
  const send = (method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> => {
    const all = paramsOf(connection, { ...own, params }) as JsonObject;
    return askServer(connection.client, { method, params: all }, { ...options, allowInputRequired: true });
  };
  const options: RequestOptions = { timeout: neverMs, ...(signal === undefined ? {} : { signal }) };
  try {
    return await waitForTask(task, {
      asked,
      signal,
      isModern: connection.isModern,
      send: (method, params) => send(method, params, options),
      sendAnyway: (method, params) => {
        send(method, params, { timeout: farewellMs }).catch(() => {});
      },
      ask: async (requests) => {
        deadline?.pause();
        try {
          return await askCaller(requests, request.caller, asked);
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
    throw timed?.isOver() === true ? timedOut(asked, true) : error;
  } finally {
    timed?.deadline.clear();
  }
};
