import type { EventStore } from "@modelcontextprotocol/server";

/** Stores the events of one session, so that an interrupted stream can be resumed. */
export const keptEvents = (): EventStore => {
  const kept: { readonly stream: string; readonly message: Parameters<EventStore["storeEvent"]>[1] }[] = [];
  return {
    storeEvent: async (stream, message) => String(kept.push({ stream, message })),
    getStreamIdForEventId: async (id) => kept[Number(id) - 1]?.stream,
    replayEventsAfter: async (last, { send }) => {
      const stream = kept[Number(last) - 1]?.stream ?? "";
      for (const [index, event] of kept.entries())
        if (index >= Number(last) && event.stream === stream && Object.keys(event.message).length > 0)
          await send(String(index + 1), event.message);
      return stream;
    },
  };
};
