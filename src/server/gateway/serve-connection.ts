import {
  isJSONRPCRequest,
  isSpecType,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isObject } from "../../base/json/json-value.ts";
import type { Principal } from "../../types/principal.ts";
import { forwardNotifications, type HoldSlot } from "./client-connection.ts";
import { createClientConnection } from "./connect-client.ts";
import type { GatewayState } from "./gateway-state.ts";
import { SubscriptionTap } from "./lists/upstream-subscriptions.ts";
import { toErrorMessage } from "./wire/malformed-message.ts";

/** A persistent client connection, such as standard I/O. */
export interface Connection {
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

/** The first message determines the protocol version. */
export const serveConnection = (
  gateway: GatewayState,
  principal: Principal,
  transport: Transport,
  conversation: string,
  hold?: HoldSlot,
): Connection => {
  const { promise: closed, resolve: end } = Promise.withResolvers<void>();
  const subscriptionTap = new SubscriptionTap();
  const observedTransport = observeTransport(transport, {
    onMessage: (message) => subscriptionTap.onMessage(message),
    onClose: end,
  });
  const handle = serveStdio(
    () => {
      const next = createClientConnection(gateway, principal, conversation, hold);
      const stop = forwardNotifications(next);
      const previousOnClose = next.server.onclose;
      next.server.onclose = () => {
        stop();
        previousOnClose?.();
      };
      subscriptionTap.setConnection(next);
      return next.server;
    },
    { transport: observedTransport, onerror: () => {} },
  );
  return {
    closed,
    close: async () => {
      await handle.close();
      end();
    },
  };
};

interface TransportObserver {
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onClose: () => void;
}

/** The SDK accepts duplicate request IDs and hides the resources of `subscriptions/listen`. */
const observeTransport = (inner: Transport, observer: TransportObserver): Transport => {
  const requests = trackOpenRequests(inner);
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  inner.onmessage = (message, extra) => {
    if (requests.take(message) === undefined) return rejectDuplicateId(inner);
    outer.onmessage?.(message, extra);
    observer.onMessage(message);
  };
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    outer.onclose?.();
    observer.onClose();
  };
  return outer;
};

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

interface PendingClientRequests {
  readonly onSend: (message: JSONRPCMessage) => void;
  readonly isAnswer: (message: unknown) => boolean;
  readonly onReceive: (message: unknown) => void;
  readonly size: () => number;
}

const responseIdOf = (message: unknown): unknown =>
  isObject(message) && !("method" in message) ? message.id : undefined;

export const trackClientRequests = (): PendingClientRequests => {
  const open = new Set<unknown>();
  return {
    onSend: (message) => {
      if (!("method" in message)) return;
      if ("id" in message) open.add(message.id);
      else if (message.method === "notifications/cancelled") open.delete(message.params?.requestId);
    },
    isAnswer: (message) => open.has(responseIdOf(message)),
    onReceive: (message) => void open.delete(responseIdOf(message)),
    size: () => open.size,
  };
};

/** Only what the SDK treats as a cancellation. */
export const cancelledId = (message: unknown): unknown => {
  if ((message as { readonly method?: unknown } | null)?.method !== "notifications/cancelled")
    return undefined;
  if (!isSpecType.CancelledNotification(message)) return undefined;
  return message.params.requestId;
};

const rejectDuplicateId = (transport: Transport): void => {
  transport.send(toErrorMessage(duplicateIdError)).catch(() => {});
};
