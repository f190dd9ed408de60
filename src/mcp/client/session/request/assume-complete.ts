import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** A result of the modern era that does not say of what type it is, is complete; the SDK would refuse it. */
export const assumeComplete = (message: JSONRPCMessage): void => {
  if (!("result" in message) || message.result.resultType !== undefined) return;
  message.result.resultType = "complete";
};
