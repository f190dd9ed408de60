import { isJSONRPCRequest, isSpecType, type Transport } from "@modelcontextprotocol/server";
import { trackClientRequests } from "./pending-client-requests.ts";

/** Requests of one session or connection that are not answered yet. */
export interface OpenRequests {
  /** Takes the ids of a message. Nothing where one of them is in use; else how to give them back unanswered. */
  readonly take: (body: unknown) => (() => void) | undefined;
  /** Whether a message ends something that is open: answers a question that was asked, or cancels a request. */
  readonly isAwaited: (message: unknown) => boolean;
  /** Whether anything is open that a message could end. */
  readonly isBusy: () => boolean;
}

/** What a client is told that uses an id again too early: without the id, or it would take it for the first answer. */
export const duplicateIdError = Object.freeze({
  code: -32600,
  message: "Invalid Request: another request of this session has the same id and is not answered yet",
});

/** Under one id twice at a time, a client would get the result of one call as that of the other. */
export const trackOpenRequests = (transport: Transport): OpenRequests => {
  const open = new Set<unknown>();
  const clientRequests = trackClientRequests();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!("method" in message)) open.delete(message.id);
    clientRequests.sent(message);
    return send(message, options);
  };
  return {
    take: (body) => {
      const reserved: unknown[] = [];
      const releaseIds = (): void => {
        for (const id of reserved) open.delete(id);
      };
      for (const message of Array.isArray(body) ? body : [body]) {
        // What was cancelled is not answered.
        open.delete(cancelledId(message));
        clientRequests.heard(message);
        if (!isJSONRPCRequest(message)) continue;
        if (open.has(message.id)) {
          releaseIds();
          return undefined;
        }
        open.add(message.id);
        reserved.push(message.id);
      }
      return releaseIds;
    },
    isAwaited: (message) => open.has(cancelledId(message)) || clientRequests.isAnswer(message),
    isBusy: () => open.size + clientRequests.size() > 0,
  };
};

/** Which request a message takes back, if it is one that the SDK takes for a cancellation too: of any other it goes on. */
export const cancelledId = (message: unknown): unknown => {
  if ((message as { readonly method?: unknown } | null)?.method !== "notifications/cancelled")
    return undefined;
  if (!isSpecType.CancelledNotification(message)) return undefined;
  return message.params.requestId;
};
