import { createMcpHandler, type ServerEvent } from "@modelcontextprotocol/server";
import type { Principal } from "../../../types/principal.ts";
import { markLongLived, rpcErrorResponse } from "../../request/response.ts";
import { toAuthInfo } from "../client-connection.ts";
import { createClientConnection } from "../connect-client.ts";
import type { GatewayState } from "../gateway-state.ts";
import { subscribedUrisOf } from "../lists/subscription-tap.ts";
import { type ResourceSubscription, subscribeUpstream } from "../lists/upstream-subscriptions.ts";
import { toServerEvents } from "../notify-client.ts";

export class ChangeStreams {
  readonly #gateway: GatewayState;
  readonly #max: number;
  readonly #open = new Set<() => Promise<void>>();

  constructor(gateway: GatewayState, max: number) {
    this.#gateway = gateway;
    this.#max = max;
  }

  /** One handler per stream, so that callers only receive their own events. */
  fetch(request: Request, principal: Principal, body: { readonly id?: unknown; readonly params?: unknown }) {
    if (this.#open.size >= this.#max) {
      return rpcErrorResponse(200, { code: -32603, message: "Subscription limit reached" }, { id: body.id });
    }
    const handler = createMcpHandler(() => createClientConnection(this.#gateway, principal).server, {
      legacy: "reject",
      bus: {
        publish: () => {},
        subscribe: (listener) => {
          this.#open.add(handler.close);
          const leave = this.#follow(principal, subscribedUrisOf(body.params), listener);
          return () => {
            this.#open.delete(handler.close);
            leave();
          };
        },
      },
    });
    const answered = handler.fetch(request, { authInfo: toAuthInfo(principal), parsedBody: body });
    return answered.then(markLongLived);
  }

  #follow(principal: Principal, uris: readonly string[], tell: (event: ServerEvent) => void): () => void {
    const followed = new Map<string, ResourceSubscription>();
    let isOver = false;
    for (const uri of new Set(uris)) {
      subscribeUpstream(this.#gateway, principal, uri).then(
        (following) => {
          if (isOver) following?.leave();
          else if (following !== undefined) followed.set(uri, following);
        },
        () => {},
      );
    }
    const stop = this.#gateway.backend.onChange((news, serverId) => {
      for (const event of toServerEvents(news, serverId, followed)) tell(event);
    });
    return () => {
      isOver = true;
      stop();
      for (const { leave } of followed.values()) leave();
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((end) => end()));
  }
}
