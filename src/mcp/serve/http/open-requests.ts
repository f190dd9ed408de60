import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type Transport,
} from "@modelcontextprotocol/server";

/** Requests of one session that are not answered yet. */
export interface OpenRequests {
  /** Takes the ids of a message. Nothing where one of them is in use; else how to give them back unanswered. */
  readonly take: (body: unknown) => (() => void) | undefined;
}

/** Under one id twice at a time, a client would get the result of one call as that of the other. */
export const openRequests = (transport: Transport): OpenRequests => {
  const open = new Set<unknown>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) open.delete(message.id);
    return send(message, options);
  };
  return {
    take: (body) => {
      const taken: unknown[] = [];
      const giveBack = (): void => {
        for (const id of taken) open.delete(id);
      };
      for (const message of Array.isArray(body) ? body : [body]) {
        // What was cancelled is not answered.
        if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
          open.delete(message.params?.requestId);
        if (!isJSONRPCRequest(message)) continue;
        if (open.has(message.id)) {
          giveBack();
          return undefined;
        }
        open.add(message.id);
        taken.push(message.id);
      }
      return giveBack;
    },
  };
};
