import {
  type Client,
  type JSONRPCMessage,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/json-value.ts";
import type { McpSessionRequest } from "../../../../types/mcp.ts";
import type { ServerConnection } from "../server-connection.ts";
import type { McpRequestInfo } from "../session-errors.ts";

/** A timeout that pauses during user input. */
export class RequestDeadline {
  readonly #onEnd: () => void;
  readonly #ms: number;
  #hardMs: number;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number, hardMs: number, onEnd: () => void) {
    this.#ms = ms;
    this.#leftMs = ms;
    this.#hardMs = hardMs;
    this.#onEnd = onEnd;
    this.#run();
  }

  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#stop();
  }

  resume(): void {
    if (--this.#pauses > 0 || this.#timer !== undefined) return;
    this.#run();
  }

  extend(): void {
    if (this.#timer === undefined) return;
    this.#stop();
    this.#leftMs = Math.min(this.#ms, this.#hardMs);
    this.#run();
  }

  clear(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#stop();
  }

  #run(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#leftMs));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const passed = Date.now() - this.#startedAt;
    this.#leftMs -= passed;
    this.#hardMs -= passed;
  }
}

export const maxExtensionFactor = 4;

/** Larger timer delays fire immediately. */
export const maxTimeoutMs = 2_147_483_647;

interface RequestTimeLimit {
  readonly deadline: RequestDeadline;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

export interface RequestStep {
  readonly connection: ServerConnection;
  readonly request: McpSessionRequest;
  readonly info: McpRequestInfo;
  readonly options: RequestOptions;
  readonly deadline?: RequestDeadline;
}

export const createTimeLimit = ({
  request,
  info,
}: Pick<RequestStep, "request" | "info">): RequestTimeLimit => {
  const ms = info.timeoutMs as number;
  const ender = new AbortController();
  const deadline = new RequestDeadline(ms, ms * maxExtensionFactor, () =>
    ender.abort(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")),
  );
  const signal =
    request.signal === undefined ? ender.signal : AbortSignal.any([request.signal, ender.signal]);
  return { deadline, signal, isOver: () => ender.signal.aborted };
};

/** Servers cannot send symbol keys. */
const wholeResultKey: unique symbol = Symbol("whole result");

/**
 * In the modern era the SDK refuses tasks and unknown content types but returns `input_required` results
 * unchanged, so every result is wrapped in one.
 */
export const wrapResult = (message: JSONRPCMessage): void => {
  if (!("result" in message) || typeof message.id !== "number") return;
  const { result } = message;
  if (typeof result.resultType !== "string") return;
  message.result = {
    resultType: "input_required",
    inputRequests: { [wholeResultKey]: result },
    requestState: "",
  };
};

const carriedResultTypes: ReadonlySet<unknown> = new Set(["task", "input_required"]);

/** Removes `resultType: "complete"`, as in the legacy era. */
const unwrapResult = (result: JsonObject): JsonObject => {
  const carried = (result.inputRequests as { readonly [wholeResultKey]?: JsonObject } | undefined)?.[
    wholeResultKey
  ];
  if (carried === undefined || carriedResultTypes.has(carried.resultType)) return carried ?? result;
  const { resultType, ...complete } = carried;
  if (resultType === "complete") return complete;
  throw new SdkError(SdkErrorCode.UnsupportedResultType, `a result of type ${JSON.stringify(resultType)}`);
};

export const callServer = async (
  client: Client,
  request: { readonly method: string; readonly params?: JsonObject },
  options: RequestOptions,
): Promise<JsonObject> => unwrapResult(await client.request(request, anyResultSchema, options));

/** The SDK's schemas would drop unknown fields. */
const anyResultSchema: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};
