import { type JSONRPCMessage, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";

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
export const unwrapResult = (result: JsonObject): JsonObject => {
  const carried = (result.inputRequests as { readonly [wholeResultKey]?: JsonObject } | undefined)?.[
    wholeResultKey
  ];
  if (carried === undefined || carriedResultTypes.has(carried.resultType)) return carried ?? result;
  const { resultType, ...complete } = carried;
  if (resultType === "complete") return complete;
  throw new SdkError(SdkErrorCode.UnsupportedResultType, `a result of type ${JSON.stringify(resultType)}`);
};
