import { blockTracker } from "../calls/block-tracker.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type ForeignFields, foreignFieldsOf, foreignTextOf, toIndex } from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isAnthropicTruncation, toToolBlock } from "./tool-block.ts";

/** Block indexes restart with each message of a stream. */
export const anthropicEvents = (drafts: CallDrafts): EventReader => {
  const content = blockTracker(drafts, "/content");

  const readStart = (event: ForeignFields): void => {
    const place = toIndex(event.index);
    const block = toToolBlock(foreignFieldsOf(event.content_block));
    if (block === undefined) content.pass(place);
    else content.begin({ place, ...block, initial: block.input ?? undefined }).isSentWhole = true;
  };

  const readDelta = (event: ForeignFields): void => {
    const { type, partial_json: piece } = foreignFieldsOf(event.delta);
    if (type !== "input_json_delta") return;
    const place = toIndex(event.index);
    const draft = content.at(place);
    if (draft !== undefined && foreignTextOf(piece) !== undefined) draft.isSentWhole = false;
    content.piece(place, piece);
  };

  const readFinish = (event: ForeignFields): void => {
    const { stop_reason: reason } = foreignFieldsOf(event.delta);
    if (foreignTextOf(reason) !== undefined) content.finish(isAnthropicTruncation(reason));
  };

  return eventTable("type", {
    message_start: content.restart,
    content_block_start: readStart,
    content_block_delta: readDelta,
    content_block_stop: (event) => content.end(toIndex(event.index)),
    message_delta: readFinish,
  });
};
