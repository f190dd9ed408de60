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
}

/** Keeps the latest messages, so that broken streams can resume. */
export const createEventStore = ({ events: maxEvents, bytes: maxBytes }: EventStoreLimits): EventStore => {
  const events: StoredEvent[] = [];
  let bytes = 0;
  let count = 0;
  return {
    storeEvent: async (streamId, message) => {
      const id = (++count).toString(36);
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
