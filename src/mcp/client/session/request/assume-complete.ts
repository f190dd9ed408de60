import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** The SDK refuses modern results without `resultType`. */
export const assumeComplete = (message: JSONRPCMessage): void => {
  if (!("result" in message) || message.result.resultType !== undefined) return;
  message.result.resultType = "complete";
};
