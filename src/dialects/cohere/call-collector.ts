import { blocks } from "../calls/blocks.ts";
import type { Drafts } from "../calls/drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type Fields, fieldsOf, placeOf, textOf } from "../calls/fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isCut } from "./read-calls.ts";

/** Cohere sends one call where others send a list; both are read. */
const callOf = (event: Fields): Fields => {
  const { tool_calls: calls } = fieldsOf(fieldsOf(event.delta).message);
  return fieldsOf(Array.isArray(calls) ? calls[0] : calls);
};

/** The events of Cohere's second chat API. */
export const cohereEvents = (drafts: Drafts): EventReader => {
  const calls = blocks(drafts, "/message/tool_calls");

  const readDelta = (event: Fields): void => {
    calls.piece(placeOf(event.index), fieldsOf(callOf(event).function).arguments);
  };

  const readStart = (event: Fields): void => {
    const { id, function: called } = callOf(event);
    calls.begin({ place: placeOf(event.index), id: textOf(id), tool: textOf(fieldsOf(called).name) });
    readDelta(event);
  };

  return eventTable("type", {
    "message-start": calls.restart,
    "tool-call-start": readStart,
    "tool-call-delta": readDelta,
    "tool-call-end": (event) => calls.end(placeOf(event.index)),
    "message-end": (event) => calls.finish(isCut(fieldsOf(event.delta).finish_reason)),
  });
};
