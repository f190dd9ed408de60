import { createMcpHandler, type ServerEvent } from "@modelcontextprotocol/server";
import type { Principal } from "../../words/principal.ts";
import { authInfoOf } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { urisOf } from "../lists/listen-along.ts";
import { type Following, follow } from "../lists/subscriptions.ts";
import { connectionFor } from "../mcp-server.ts";
import { eventsOf } from "../news.ts";
import { rpcError } from "./rpc-response.ts";
import { standingResponse } from "./standing-response.ts";

/** Streams of clients of the new era that want to hear of changes. */
export class ChangeStreams {
  readonly #front: GatewayState;
  readonly #max: number;
  readonly #open = new Set<() => Promise<void>>();

  constructor(gateway: GatewayState, max: number) {
    this.#front = gateway;
    this.#max = max;
  }

  /** Each stream has a handler of its own, so that it hears only what its caller may. */
  fetch(request: Request, principal: Principal, body: { readonly id?: unknown; readonly params?: unknown }) {
    if (this.#open.size >= this.#max) {
      return rpcError(200, { code: -32603, message: "Subscription limit reached" }, { id: body.id });
    }
    const handler = createMcpHandler(() => connectionFor(this.#front, principal).server, {
      legacy: "reject",
      bus: {
        publish: () => {},
        subscribe: (listener) => {
          this.#open.add(handler.close);
          const leave = this.#follow(principal, urisOf(body.params), listener);
          return () => {
            this.#open.delete(handler.close);
            leave();
          };
        },
      },
    });
    const answered = handler.fetch(request, { authInfo: authInfoOf(principal), parsedBody: body });
    return answered.then(standingResponse);
  }

  #follow(principal: Principal, uris: readonly string[], tell: (event: ServerEvent) => void): () => void {
    const followed = new Map<string, Following>();
    let isOver = false;
    for (const uri of new Set(uris)) {
      follow(this.#front, principal, uri).then(
        (following) => {
          if (isOver) following?.leave();
          else if (following !== undefined) followed.set(uri, following);
        },
        () => {},
      );
    }
    const stop = this.#front.served.onNews((news, serverId) => {
      for (const event of eventsOf(news, serverId, followed)) tell(event);
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
