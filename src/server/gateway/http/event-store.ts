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
  /** The gateway whose events they are, where there are several. */
  readonly name?: string | undefined;
}

/** A request that a stream answers, and whether it is a call of a tool. */
type StreamedRequest = readonly [id: unknown, isCall: boolean];

/** What the body that is being answered asks for, while its stream is made. */
const streamedRequests = new AsyncLocalStorage<readonly StreamedRequest[]>();

/** Events that are stored meanwhile say in their id what their stream answers. */
export const withStreamedRequests = <A>(body: unknown, work: () => A): A =>
  streamedRequests.run(requestsIn(body), work);

const requestsIn = (body: unknown): readonly StreamedRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
    return id === undefined || method === undefined ? [] : [[id, method === "tools/call"] as const];
  });

/** A stream of another gateway, as the id of its last event tells. */
export interface RemoteStream {
  readonly name: string;
  readonly requests: readonly StreamedRequest[];
}

/** An event id comes back from a client, which may have made it up: each request in it costs queries of the ledger. */
const maxEventIdLength = 2_048;
const maxStreamedRequests = 16;

/** Undefined for an event of this gateway, and for an id that no gateway made. */
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

/** The last messages of one session, for a client whose stream broke. Older ones are gone, and so is their stream. */
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
    // A longer one could not be read back, so its stream is only continued here.
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
        // An empty one only told the client where its stream begins.
        if (of === streamId && Object.keys(message).length > 0) await send(id, message);
      }
      return streamId;
    },
  };
};
