import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/json-value.ts";
import type { InputRequests, McpCaller, McpSessionRequest } from "../../../../types/mcp.ts";
import { listRemoteTools } from "../list-tools.ts";
import { paramHeadersOf } from "../param-headers.ts";
import type { ServerConnection } from "../server-connection.ts";
import { capabilitiesOfCaller, isInputRequiredResult, requestCallerInput } from "../server-requests.ts";
import {
  connectionLostError,
  type McpRequestInfo,
  protocolViolationError,
  requestCancelledError,
  requestTimeoutError,
  toSessionError,
} from "../session-errors.ts";
import {
  callServer,
  createTimeLimit,
  maxExtensionFactor,
  maxTimeoutMs,
  type RequestStep,
} from "./request-deadline.ts";
import { type ServerTask, serverTaskOf, waitForTask } from "./wait-for-task.ts";

const maxInputRounds = 16;
const headerMismatchErrorCode = -32_020;

const sendStep = async (step: RequestStep, params: JsonObject | undefined): Promise<JsonObject> => {
  const { connection, request, options } = step;
  const { method } = request;
  const message = params === undefined ? { method } : { method, params };
  const result = await callServer(connection.client, message, options);
  return isInputRequiredResult(result) ? answerInputRounds(step, params, result) : result;
};

const answerInputRounds = async (
  step: RequestStep,
  params: JsonObject | undefined,
  first: JsonObject,
): Promise<JsonObject> => {
  const { connection, request, info, options } = step;
  let result = first;
  for (let round = 0; isInputRequiredResult(result); round++) {
    if (round === maxInputRounds)
      throw protocolViolationError(info, `it requested input more than ${maxInputRounds} times`);
    const { inputRequests, requestState } = result as {
      readonly inputRequests?: InputRequests;
      readonly requestState?: string;
    };
    if (inputRequests === undefined && requestState === undefined) {
      throw protocolViolationError(info, "it requires input but does not specify it");
    }
    const inputResponses = await requestCallerInput(inputRequests ?? {}, request.caller, info);
    const next = {
      ...params,
      ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
    result = await callServer(connection.client, { method: request.method, params: next }, options);
  }
  return result;
};

const runStep = async (step: RequestStep): Promise<JsonObject> => {
  const { connection, request } = step;
  let params = requestParams(connection, request);
  if (connection.tools.size > 0 && request.method === "tools/call" && params?.task === undefined) {
    if (connection.tools.get(params?.name as string)?.needsTask === true) params = { ...params, task: {} };
  }
  let result: JsonObject;
  try {
    result = await sendStep(step, params);
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === headerMismatchErrorCode && connection.isModern))
      throw error;
    // The server used a newer schema to check the headers.
    await listRemoteTools(connection, request.signal);
    // The server only claims that nothing ran, so a tool call is not repeated.
    if (request.method === "tools/call") throw error;
    result = await sendStep({ ...step, options: sdkRequestOptions(connection, request, step.info) }, params);
  }
  const task = request.method === "tools/call" ? serverTaskOf(result) : undefined;
  if (task === undefined) {
    if (result.resultType !== undefined)
      throw protocolViolationError(step.info, "a task where a task is not allowed");
    return result;
  }
  request.caller?.tasked?.({ ...task });
  return finishTask(step, task);
};

/** Must not be forwarded from one connection to another. */
const connectionMetaKeys = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  "progressToken",
];

const withoutConnectionMeta = (meta: JsonObject | undefined): JsonObject | undefined => {
  if (meta === undefined || !connectionMetaKeys.some((key) => Object.hasOwn(meta, key))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !connectionMetaKeys.includes(key)));
};

const callerMeta = (caller: McpCaller | undefined): JsonObject | undefined => {
  const capabilities = capabilitiesOfCaller(caller);
  const level = caller?.logLevel;
  if (capabilities === undefined && level === undefined) return undefined;
  return {
    ...(capabilities === undefined ? {} : { [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    ...(level === undefined ? {} : { [LOG_LEVEL_META_KEY]: level }),
  };
};

const requestParams = (
  connection: ServerConnection,
  { params, caller }: McpSessionRequest,
): JsonObject | undefined => {
  const own = connection.isModern ? callerMeta(caller) : undefined;
  const given = params?._meta as JsonObject | undefined;
  const meta = withoutConnectionMeta(given);
  if (own === undefined && meta === given) return params;
  return { ...params, _meta: { ...meta, ...own } };
};

const sdkRequestOptions = (
  connection: ServerConnection,
  request: McpSessionRequest,
  info: McpRequestInfo,
): RequestOptions => {
  const { caller, onProgress, signal, params } = request;
  const timeout = info.timeoutMs as number;
  const options: RequestOptions = { timeout, allowInputRequired: true };
  if (signal !== undefined) options.signal = signal;
  if (onProgress !== undefined || caller?.progressed !== undefined) {
    options.onprogress = (update) => {
      onProgress?.(update);
      caller?.progressed?.(update);
    };
    options.resetTimeoutOnProgress = true;
    // The last extension lasts one full timeout.
    options.maxTotalTimeout = timeout * (maxExtensionFactor - 1);
  }
  if (connection.tools.size > 0 && request.method === "tools/call") {
    const known = connection.tools.get(params?.name as string);
    if (known !== undefined && known.headers.length > 0) {
      options.headers = paramHeadersOf(known.headers, params?.arguments);
    }
  }
  return options;
};

/** The SDK's timeout cannot be paused. */
const runWithPausableDeadline = async (step: RequestStep, caller: McpCaller): Promise<JsonObject> => {
  const { connection, options } = step;
  const { deadline, signal } = createTimeLimit(step);
  const { onprogress } = options;
  const leave = connection.callers.enter(caller, deadline);
  const own: RequestOptions = { ...options, timeout: maxTimeoutMs, signal };
  if (onprogress !== undefined) {
    own.resetTimeoutOnProgress = false;
    own.onprogress = (update) => {
      deadline.extend();
      onprogress(update);
    };
  }
  try {
    return await runStep({ ...step, options: own, deadline });
  } finally {
    leave();
    deadline.clear();
  }
};

export const sendRequest = async (
  connection: ServerConnection,
  request: McpSessionRequest,
): Promise<JsonObject> => {
  const { method, signal, caller } = request;
  const info: McpRequestInfo = {
    id: connection.id,
    method,
    wire: connection.wire,
    signal,
    timeoutMs: Math.min(request.timeoutMs ?? connection.callTimeoutMs, maxTimeoutMs),
    mask: connection.mask,
  };
  if (connection.wire.fault !== undefined) throw connectionLostError(info, connection.wire.fault, false);
  if (signal?.aborted === true) throw requestCancelledError(info, false);
  const step: RequestStep = {
    connection,
    request,
    info: info,
    options: sdkRequestOptions(connection, request, info),
  };
  try {
    if (caller === undefined) return await runStep(step);
    if (caller.ask !== undefined && !connection.isModern) return await runWithPausableDeadline(step, caller);
    const leave = connection.callers.enter(caller);
    try {
      return await runStep(step);
    } finally {
      leave();
    }
  } catch (error) {
    throw toSessionError(error, info);
  }
};

const cancelGraceMs = 5_000;

/** Every status change extends the deadline. */
const finishTask = async (step: RequestStep, task: ServerTask): Promise<JsonObject> => {
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
