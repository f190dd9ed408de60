import { isJSONRPCRequest, isSpecType, type Transport } from "@modelcontextprotocol/server";
import { trackClientRequests } from "./pending-client-requests.ts";

export interface OpenRequests {
  /** Reserves the IDs of a message. Returns a release function, or undefined if an ID is in use. */
  readonly take: (body: unknown) => (() => void) | undefined;
  /** The message answers or cancels an open request. */
  readonly isAwaited: (message: unknown) => boolean;
  readonly isBusy: () => boolean;
}

/** Without an ID, which would match the first request. */
export const duplicateIdError = Object.freeze({
  code: -32600,
  message: "Invalid Request: an open request of this session has the same id",
});

/** With duplicate IDs, a client could take one call's result for another's. */
export const trackOpenRequests = (transport: Transport): OpenRequests => {
  const open = new Set<unknown>();
  const clientRequests = trackClientRequests();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!("method" in message)) open.delete(message.id);
    clientRequests.onSend(message);
    return send(message, options);
  };
  return {
    take: (body) => {
      const reserved: unknown[] = [];
      const releaseIds = (): void => {
        for (const id of reserved) open.delete(id);
      };
      for (const message of Array.isArray(body) ? body : [body]) {
        // Canceled requests get no response.
        open.delete(cancelledId(message));
        clientRequests.onReceive(message);
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

/** Only what the SDK treats as a cancellation. */
export const cancelledId = (message: unknown): unknown => {
  if ((message as { readonly method?: unknown } | null)?.method !== "notifications/cancelled")
    return undefined;
  if (!isSpecType.CancelledNotification(message)) return undefined;
  return message.params.requestId;
};
