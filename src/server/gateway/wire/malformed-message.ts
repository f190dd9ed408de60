import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/json-value.ts";
import { type RpcError, rpcErrorMessage } from "../../request/http-error.ts";

/** The SDK's types do not allow the null ID. */
export const toErrorMessage = (error: RpcError, id?: unknown): JSONRPCMessage =>
  rpcErrorMessage(error, id) as unknown as JSONRPCMessage;

export const parseErrorMessage = (why: string): JSONRPCMessage =>
  toErrorMessage({ code: -32_700, message: `Parse error: a message cannot be read: ${why}` });

const isRequestId = (id: unknown): boolean => typeof id === "string" || Number.isSafeInteger(id);

const messageProblem = (value: unknown): string => {
  if (Array.isArray(value)) return "batches are not supported. Send each message separately.";
  if (!isObject(value)) return "a message must be an object.";
  if (value.jsonrpc !== "2.0") return 'a message must have /jsonrpc "2.0".';
  if (typeof value.method !== "string") return "a request must have a string /method.";
  if ("id" in value && !isRequestId(value.id)) return "/id must be a string or a whole number.";
  if ("params" in value && !isObject(value.params)) return "/params must be an object.";
  return "it is not a JSON-RPC 2.0 message.";
};

const isJsonRpcMessage = (value: unknown): boolean =>
  isJSONRPCRequest(value) ||
  isJSONRPCNotification(value) ||
  isJSONRPCResultResponse(value) ||
  isJSONRPCErrorResponse(value);

/** Not answered, to avoid an endless exchange of errors. */
const isErrorMessage = (value: unknown): boolean =>
  isObject(value) && value.jsonrpc === "2.0" && !("method" in value) && "error" in value;

export const malformedMessageError = (value: unknown): JSONRPCMessage | undefined => {
  if (isJsonRpcMessage(value) || isErrorMessage(value)) return undefined;
  const id = isObject(value) && "method" in value && isRequestId(value.id) ? value.id : null;
  return toErrorMessage({ code: -32_600, message: `Invalid Request: ${messageProblem(value)}` }, id);
};
