import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is-object.ts";

/** Requests that we sent to a client and that it has not answered yet. */
export interface PendingClientRequests {
  /** Notes what is sent to the client. */
  readonly sent: (message: JSONRPCMessage) => void;
  /** Whether a message answers one of them. */
  readonly isAnswer: (message: unknown) => boolean;
  /** Notes what came from the client: a question is answered once. */
  readonly heard: (message: unknown) => void;
  readonly size: () => number;
}

const responseIdOf = (message: unknown): unknown =>
  isObject(message) && !("method" in message) ? message.id : undefined;

/** Which answers a client owes on one connection or in one session. */
export const trackClientRequests = (): PendingClientRequests => {
  const open = new Set<unknown>();
  return {
    sent: (message) => {
      if (!("method" in message)) return;
      if ("id" in message) open.add(message.id);
      // A question that we took back is owed no answer.
      else if (message.method === "notifications/cancelled") open.delete(message.params?.requestId);
    },
    isAnswer: (message) => open.has(responseIdOf(message)),
    heard: (message) => void open.delete(responseIdOf(message)),
    size: () => open.size,
  };
};
