import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is-object.ts";

export interface PendingClientRequests {
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
