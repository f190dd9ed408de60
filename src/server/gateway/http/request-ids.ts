import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { cancelledId } from "../wire/open-requests.ts";

/** Prefixes request IDs with the gateway's name, so that responses find their gateway. */
export const prefixRequestIds = (transport: Transport, name: string): void => {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(withGatewayPrefix(message, name), options);
};

const withGatewayPrefix = (message: JSONRPCMessage, name: string): JSONRPCMessage => {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: `${name}/${message.id}` };
  const { method, params } = message;
  if (method !== "notifications/cancelled" || !isObject(params) || params.requestId === undefined)
    return message;
  return { ...message, params: { ...params, requestId: `${name}/${params.requestId}` } };
};

export interface SortedMessages {
  /** With the SDK's original IDs. */
  readonly own: unknown;
  readonly others: readonly { readonly name: string; readonly message: unknown }[];
  readonly cancellations: readonly unknown[];
}

export const sortMessagesByGateway = (body: unknown, name: string): SortedMessages => {
  const others: { readonly name: string; readonly message: unknown }[] = [];
  const all = Array.isArray(body) ? body : [body];
  const own = all.flatMap((message) => {
    const id = answeredRequestId(message);
    if (id === undefined) return [message];
    const at = id.lastIndexOf("/");
    const rest = Number(id.slice(at + 1));
    const answer = { ...(message as JsonObject), id: Number.isSafeInteger(rest) ? rest : id.slice(at + 1) };
    if (id.slice(0, at) === name) return [answer];
    others.push({ name: id.slice(0, at), message: answer });
    return [];
  });
  const cancellations = all.filter((message) => cancelledId(message) !== undefined);
  return { own: own.length === 0 ? undefined : Array.isArray(body) ? own : own[0], others, cancellations };
};

const answeredRequestId = (message: unknown): string | undefined => {
  if (!isObject(message) || "method" in message) return undefined;
  const { id } = message;
  return typeof id === "string" && id.lastIndexOf("/") > 0 ? id : undefined;
};
