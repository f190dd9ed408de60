import { type JSONRPCMessage, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../../base/json/is-object.ts";

/** A server cannot write a symbol, so what is under it is what we put there. */
const wholeResultKey: unique symbol = Symbol("whole result");

/**
 * In the modern era the SDK refuses a result with a piece of a kind it does not know, a list with one bad tool in it,
 * and tasks. What waits for input it hands back untouched, so every result travels inside of one that does.
 */
export const carryResult = (message: JSONRPCMessage): void => {
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

/** The result that was carried, as the server sent it. Complete ones do not say so any more, as in the old era. */
export const unwrapCarriedResult = (result: JsonObject): JsonObject => {
  const carried = (result.inputRequests as { readonly [wholeResultKey]?: JsonObject } | undefined)?.[
    wholeResultKey
  ];
  if (carried === undefined || carriedResultTypes.has(carried.resultType)) return carried ?? result;
  const { resultType, ...complete } = carried;
  if (resultType === "complete") return complete;
  throw new SdkError(SdkErrorCode.UnsupportedResultType, `a result of type ${JSON.stringify(resultType)}`);
};
