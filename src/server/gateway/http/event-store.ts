import { AsyncLocalStorage } from "node:async_hooks";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

export interface EventStoreLimits {
  readonly events: number;
  readonly bytes: number;
  readonly name?: string | undefined;
}

type StreamedRequest = readonly [id: unknown, isCall: boolean];

const streamedRequests = new AsyncLocalStorage<readonly StreamedRequest[]>();

/** Event IDs stored during `work` encode the requests of their stream. */
export const withStreamedRequests = <A>(body: unknown, work: () => A): A =>
  streamedRequests.run(requestsIn(body), work);

const requestsIn = (body: unknown): readonly StreamedRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
    return id === undefined || method === undefined ? [] : [[id, method === "tools/call"] as const];
  });

export interface RemoteStream {
  readonly name: string;
  readonly requests: readonly StreamedRequest[];
}

/** IDs come from clients, and each request in one costs ledger queries. */
const maxEventIdLength = 2_048;
const maxStreamedRequests = 16;

export const parseRemoteStream = (eventId: string, name: string): RemoteStream | undefined => {
  if (eventId.length > maxEventIdLength) return undefined;
  const [owner, , requests] = eventId.split(".");
  if (owner === undefined || requests === undefined || owner === name) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(requests, "base64url").toString());
    if (!Array.isArray(parsed) || parsed.length > maxStreamedRequests || !parsed.every(isStreamedRequest)) {
      return undefined;
    }
    const isRepeated = new Set(parsed.map(([id]) => id)).size < parsed.length;
    return isRepeated ? undefined : { name: owner, requests: parsed };
  } catch {
    return undefined;
  }
};

const isStreamedRequest = (value: unknown): value is StreamedRequest => {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [id, isCall] = value as readonly unknown[];
  return (typeof id === "string" || typeof id === "number") && typeof isCall === "boolean";
};

/** Keeps the latest messages, so that broken streams can resume. */
export const createEventStore = ({
  events: maxEvents,
  bytes: maxBytes,
  name,
}: EventStoreLimits): EventStore => {
  const events: StoredEvent[] = [];
  let bytes = 0;
  let count = 0;
  const nextId = (): string => {
    const number = (++count).toString(36);
    if (name === undefined) return number;
    const requests = streamedRequests.getStore() ?? [];
    const written = Buffer.from(JSON.stringify(requests)).toString("base64url");
    const id = `${name}.${number}.${written}`;
    // Too long to parse back.
    return requests.length > maxStreamedRequests || id.length > maxEventIdLength ? `${name}.${number}` : id;
  };
  return {
    storeEvent: async (streamId, message) => {
      const id = nextId();
      const size = JSON.stringify(message).length;
      events.push({ id, streamId, message, size });
      bytes += size;
      while (events.length > maxEvents || (bytes > maxBytes && events.length > 1))
        bytes -= events.shift()!.size;
      return id;
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.streamId,
    replayEventsAfter: async (lastEventId, { send }) => {
      const index = events.findIndex(({ id }) => id === lastEventId);
      const { streamId } = events[index] ?? { streamId: "" };
      for (const { id, message, streamId: of } of events.slice(index + 1)) {
        // Only marks the start of a stream.
        if (of === streamId && Object.keys(message).length > 0) await send(id, message);
      }
      return streamId;
    },
  };
};
