import { ProtocolError, type RequestOptions } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../json/is-object.ts";
import type { InputRequests, McpCaller, SessionRequest } from "../../../../words/mcp.ts";
import { listTools } from "../list-tools.ts";
import { askCaller, isInputRequired } from "../questions.ts";
import type { ServerConnection } from "../server-connection.ts";
import { cancelled, gone, type RequestContext, toSessionError, unfitting } from "../session-failure.ts";
import { askServer } from "./ask-server.ts";
import { finishTask } from "./finish-task.ts";
import { optionsOf, paramsOf } from "./request-options.ts";
import type { RequestStep } from "./step.ts";
import { taskOf } from "./tasks.ts";
import { neverMs, timeLimit } from "./time-limit.ts";

const mostRounds = 16;
const headerMismatch = -32_020;

const send = async (step: RequestStep, params: JsonObject | undefined): Promise<JsonObject> => {
  const { connection, request, options } = step;
  const { method } = request;
  const asking = params === undefined ? { method } : { method, params };
  const result = await askServer(connection.client, asking, options);
  return isInputRequired(result) ? answerInput(step, params, result) : result;
};

/** Another round with the caller's answers, until the server is content. */
const answerInput = async (
  step: RequestStep,
  params: JsonObject | undefined,
  first: JsonObject,
): Promise<JsonObject> => {
  const { connection, request, asked, options } = step;
  let result = first;
  for (let round = 0; isInputRequired(result); round++) {
    if (round === mostRounds) throw unfitting(asked, `it asked for input more than ${mostRounds} times`);
    const { inputRequests, requestState } = result as {
      readonly inputRequests?: InputRequests;
      readonly requestState?: string;
    };
    if (inputRequests === undefined && requestState === undefined) {
      throw unfitting(asked, "it wants input and does not say which");
    }
    const inputResponses = await askCaller(inputRequests ?? {}, request.caller, asked);
    const next = {
      ...params,
      ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
    result = await askServer(connection.client, { method: request.method, params: next }, options);
  }
  return result;
};

const run = async (step: RequestStep): Promise<JsonObject> => {
  const { connection, request } = step;
  let params = paramsOf(connection, request);
  if (connection.tools.size > 0 && request.method === "tools/call" && params?.task === undefined) {
    if (connection.tools.get(params?.name as string)?.needsTask === true) params = { ...params, task: {} };
  }
  let result: JsonObject;
  try {
    result = await send(step, params);
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === headerMismatch && connection.isModern))
      throw error;
    // The server compared headers with a newer schema, which the next request goes by.
    await listTools(connection, request.signal);
    // That it refused before it began is its claim: a tool is not called twice for it.
    if (request.method === "tools/call") throw error;
    result = await send({ ...step, options: optionsOf(connection, request, step.asked) }, params);
  }
  const task = request.method === "tools/call" ? taskOf(result) : undefined;
  if (task === undefined) {
    if (result.resultType !== undefined) throw unfitting(step.asked, "a task where none can be");
    return result;
  }
  request.caller?.tasked?.({ ...task });
  return finishTask(step, task);
};

/** The SDK's clock does not stand still while a person is asked, so these requests have one of their own. */
const runPaused = async (step: RequestStep, caller: McpCaller): Promise<JsonObject> => {
  const { connection, options } = step;
  const { deadline, signal } = timeLimit(step);
  const { onprogress } = options;
  const leave = connection.callers.enter(caller, deadline);
  const own: RequestOptions = { ...options, timeout: neverMs, signal };
  if (onprogress !== undefined) {
    own.resetTimeoutOnProgress = false;
    own.onprogress = (update) => {
      deadline.extend();
      onprogress(update);
    };
  }
  try {
    return await run({ ...step, options: own, deadline });
  } finally {
    leave();
    deadline.clear();
  }
};

/** One request from its first byte to its whole result, whatever it takes in between. */
export const sendRequest = async (
  connection: ServerConnection,
  request: SessionRequest,
): Promise<JsonObject> => {
  const { method, signal, caller } = request;
  const asked: RequestContext = {
    id: connection.id,
    method,
    wire: connection.wire,
    signal,
    timeoutMs: Math.min(request.timeoutMs ?? connection.callTimeoutMs, neverMs),
    mask: connection.mask,
  };
  if (connection.wire.fault !== undefined) throw gone(asked, connection.wire.fault, false);
  if (signal?.aborted === true) throw cancelled(asked, false);
  const step: RequestStep = { connection, request, asked, options: optionsOf(connection, request, asked) };
  try {
    if (caller === undefined) return await run(step);
    if (caller.ask !== undefined && !connection.isModern) return await runPaused(step, caller);
    const leave = connection.callers.enter(caller);
    try {
      return await run(step);
    } finally {
      leave();
    }
  } catch (error) {
    throw toSessionError(error, asked);
  }
};
