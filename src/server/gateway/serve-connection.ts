import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "../words/principal.ts";
import type { HoldPlace } from "./client-connection.ts";
import type { GatewayState } from "./gateway-state.ts";
import { ListenAlong } from "./lists/listen-along.ts";
import { connectionFor } from "./mcp-server.ts";
import { tellNews } from "./news.ts";
import { errorAnswer } from "./wire/malformed-message.ts";
import { openRequests, repeatedId } from "./wire/open-requests.ts";

/** A client that is being served over a connection that lasts, such as standard input and output. */
export interface Connection {
  /** Ends when the client is gone, or when it was closed here. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Serves one client over a connection that lasts. Its first message says which era it is of. */
export const serveConnection = (
  gateway: GatewayState,
  principal: Principal,
  transport: Transport,
  conversation: string,
  hold?: HoldPlace,
): Connection => {
  const { promise: closed, resolve: end } = Promise.withResolvers<void>();
  const along = new ListenAlong();
  const wire = observed(transport, { onMessage: (message) => along.hear(message), onClose: end });
  const handle = serveStdio(
    () => {
      const next = connectionFor(gateway, principal, conversation, hold);
      const stop = tellNews(next);
      const closeLine = next.server.onclose;
      next.server.onclose = () => {
        stop();
        closeLine?.();
      };
      along.join(next);
      return next.server;
    },
    { transport: wire, onerror: () => {} },
  );
  return {
    closed,
    close: async () => {
      await handle.close();
      end();
    },
  };
};

interface Observer {
  readonly onMessage: (message: JSONRPCMessage) => void;
  readonly onClose: () => void;
}

/**
 * The SDK takes a second request under an id that is in use, and answers `subscriptions/listen` itself without telling
 * anybody which resources are meant. So the one is refused before it, and to the other we listen along.
 */
const observed = (inner: Transport, observer: Observer): Transport => {
  const requests = openRequests(inner);
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  inner.onmessage = (message, extra) => {
    if (requests.take(message) === undefined) return refuseRepeated(inner);
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

const refuseRepeated = (transport: Transport): void => {
  transport.send(errorAnswer(repeatedId.code, repeatedId.message)).catch(() => {});
};
