import { blockTracker } from "../calls/block-tracker.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type ForeignFields, foreignFieldsOf, foreignTextOf, toIndex } from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isCohereTruncation } from "./read-calls.ts";

const callOf = (event: ForeignFields): ForeignFields => {
  const { tool_calls: calls } = foreignFieldsOf(foreignFieldsOf(event.delta).message);
  return foreignFieldsOf(Array.isArray(calls) ? calls[0] : calls);
};

export const cohereEvents = (drafts: CallDrafts): EventReader => {
  const calls = blockTracker(drafts, "/message/tool_calls");

  const readDelta = (event: ForeignFields): void => {
    calls.piece(toIndex(event.index), foreignFieldsOf(callOf(event).function).arguments);
  };

  const readStart = (event: ForeignFields): void => {
    const { id, function: called } = callOf(event);
    calls.begin({
      place: toIndex(event.index),
      id: foreignTextOf(id),
      tool: foreignTextOf(foreignFieldsOf(called).name),
    });
    readDelta(event);
  };

  return eventTable("type", {
    "message-start": calls.restart,
    "tool-call-start": readStart,
    "tool-call-delta": readDelta,
    "tool-call-end": (event) => calls.end(toIndex(event.index)),
    "message-end": (event) => calls.finish(isCohereTruncation(foreignFieldsOf(event.delta).finish_reason)),
  });
};
