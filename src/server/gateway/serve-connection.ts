import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "../../types/principal.ts";
import type { HoldSlot } from "./client-connection.ts";
import { createClientConnection } from "./connect-client.ts";
import type { GatewayState } from "./gateway-state.ts";
import { SubscriptionTap } from "./lists/subscription-tap.ts";
import { forwardNotifications } from "./notify-client.ts";
import { toErrorMessage } from "./wire/malformed-message.ts";
import { duplicateIdError, trackOpenRequests } from "./wire/open-requests.ts";

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

const rejectDuplicateId = (transport: Transport): void => {
  transport.send(toErrorMessage(duplicateIdError)).catch(() => {});
};
