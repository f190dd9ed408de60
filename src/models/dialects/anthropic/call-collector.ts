import { blocks } from "../calls/blocks.ts";
import type { Drafts } from "../calls/drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type Fields, fieldsOf, placeOf, textOf } from "../calls/fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isCut, toToolBlock } from "./tool-block.ts";

/** The events of Anthropic's messages; a stream may hold several, and each counts its blocks again. */
export const anthropicEvents = (drafts: Drafts): EventReader => {
  const content = blocks(drafts, "/content");

  const readStart = (event: Fields): void => {
    const place = placeOf(event.index);
    const block = toToolBlock(fieldsOf(event.content_block));
    if (block === undefined) content.pass(place);
    else content.begin({ place, ...block, initial: block.input ?? undefined }).isSentWhole = true;
  };

  const readDelta = (event: Fields): void => {
    const { type, partial_json: piece } = fieldsOf(event.delta);
    if (type !== "input_json_delta") return;
    const place = placeOf(event.index);
    const draft = content.at(place);
    // Text that comes piece by piece says itself where it ends.
    if (draft !== undefined && textOf(piece) !== undefined) draft.isSentWhole = false;
    content.piece(place, piece);
  };

  const readFinish = (event: Fields): void => {
    const { stop_reason: reason } = fieldsOf(event.delta);
    if (textOf(reason) !== undefined) content.finish(isCut(reason));
  };

  return eventTable("type", {
    message_start: content.restart,
    content_block_start: readStart,
    content_block_delta: readDelta,
    content_block_stop: (event) => content.end(placeOf(event.index)),
    message_delta: readFinish,
  });
};
