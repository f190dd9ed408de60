import { blockTracker, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  eventTable,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";

const truncationReasons: ReadonlySet<unknown> = new Set(["MAX_TOKENS", "ERROR", "TIMEOUT"]);

export const isCohereTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

/** Chat API v2. */
export const readCohereReply = (drafts: CallDrafts, body: ForeignFields): void => {
  const found = foreignListOf(foreignFieldsOf(body.message).tool_calls).map((entry, place) => {
    const { id, function: called } = foreignFieldsOf(entry);
    const { name, arguments: input } = foreignFieldsOf(called);
    return drafts.add({
      id: foreignTextOf(id),
      tool: foreignTextOf(name),
      input,
      part: `/message/tool_calls/${place}`,
    });
  });
  const last = found.at(-1);
  if (last !== undefined && isCohereTruncation(body.finish_reason)) endDraft(last, true);
};

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
