import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/server";
import type { ClientConnection } from "../client-connection.ts";
import { subscribeConnection } from "./resource-subscriptions.ts";

/** The SDK handles `subscriptions/listen` without reporting the resources. */
export class SubscriptionTap {
  readonly #open = new Map<unknown, readonly string[]>();
  #connection: ClientConnection | undefined;

  /**
   * The connection may arrive after the first messages and is replaced once the protocol version is known.
   */
  setConnection(connection: ClientConnection): void {
    this.#connection = connection;
    for (const uris of this.#open.values()) this.#subscribe(uris);
  }

  onMessage(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === "subscriptions/listen") {
      const uris = subscribedUrisOf(message.params);
      this.#open.set(message.id, uris);
      this.#subscribe(uris);
    }
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      this.#unsubscribe(message.params?.requestId);
    }
  }

  #subscribe(uris: readonly string[]): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    for (const uri of uris) subscribeConnection(connection, connection.principal, uri).catch(() => {});
  }

  #unsubscribe(id: unknown): void {
    const ended = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const wanted = new Set([...this.#open.values()].flat());
    for (const uri of ended) {
      if (wanted.has(uri)) continue;
      this.#connection?.subscriptions.get(uri)?.leave();
      this.#connection?.subscriptions.delete(uri);
    }
  }
}

const maxSubscriptionUris = 1000;

export const subscribedUrisOf = (params: unknown): readonly string[] => {
  const filter = (params as { readonly notifications?: unknown } | undefined)?.notifications;
  const uris = (filter as { readonly resourceSubscriptions?: unknown } | undefined)?.resourceSubscriptions;
  return Array.isArray(uris)
    ? uris.filter((uri) => typeof uri === "string").slice(0, maxSubscriptionUris)
    : [];
};
