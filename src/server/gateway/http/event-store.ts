import { AsyncLocalStorage } from "node:async_hooks";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface Event {
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
const streaming = new AsyncLocalStorage<readonly StreamedRequest[]>();

/** Events that are stored meanwhile say in their id what their stream answers. */
export const answering = <A>(body: unknown, work: () => A): A => streaming.run(requestsIn(body), work);

const requestsIn = (body: unknown): readonly StreamedRequest[] =>
  (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
    return id === undefined || method === undefined ? [] : [[id, method === "tools/call"] as const];
  });

/** A stream of another gateway, as the id of its last event tells. */
export interface StreamElsewhere {
  readonly name: string;
  readonly requests: readonly StreamedRequest[];
}

export const streamElsewhere = (eventId: string, name: string): StreamElsewhere | undefined => {
  const [owner, , requests] = eventId.split(".");
  if (owner === undefined || requests === undefined || owner === name) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(requests, "base64url").toString());
    return Array.isArray(read) ? { name: owner, requests: read as readonly StreamedRequest[] } : undefined;
  } catch {
    return undefined;
  }
};

/** The last messages of one session, for a client whose stream broke. Older ones are gone, and so is their stream. */
export const eventStore = ({ events: most, bytes: mostBytes, name }: EventStoreLimits): EventStore => {
  const events: Event[] = [];
  let bytes = 0;
  let count = 0;
  const nextId = (): string => {
    const number = (++count).toString(36);
    if (name === undefined) return number;
    const requests = Buffer.from(JSON.stringify(streaming.getStore() ?? [])).toString("base64url");
    return `${name}.${number}.${requests}`;
  };
  return {
    storeEvent: async (streamId, message) => {
      const id = nextId();
      const size = JSON.stringify(message).length;
      events.push({ id, streamId, message, size });
      bytes += size;
      while (events.length > most || (bytes > mostBytes && events.length > 1)) bytes -= events.shift()!.size;
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
