import { isObject } from "../../json/is-object.ts";
import { blocks } from "../calls/blocks.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, placeOf } from "../calls/fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isCut, toToolUse } from "./tool-use.ts";

/** The events of Bedrock's ConverseStream, each an object with one member that says what it is. */
export const bedrockEvents = (drafts: Drafts): EventReader => {
  const content = blocks(drafts, "/output/message/content");

  const readStart = (event: Fields): void => {
    const place = placeOf(event.contentBlockIndex);
    const use = toToolUse(fieldsOf(event.start));
    if (use === undefined) content.pass(place);
    else {
      content.begin({ place, ...use });
      content.piece(place, use.input);
    }
  };

  const readDelta = (event: Fields): void => {
    const place = placeOf(event.contentBlockIndex);
    const { toolUse } = fieldsOf(event.delta);
    if (isObject(toolUse)) content.piece(place, toolUse.input);
    // Text has no start of its own.
    else if (content.at(place) === undefined) content.pass(place);
  };

  return {
    read: (event) => {
      const { messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop } = event;
      if (isObject(messageStart)) content.restart();
      if (isObject(contentBlockStart)) readStart(contentBlockStart);
      if (isObject(contentBlockDelta)) readDelta(contentBlockDelta);
      if (isObject(contentBlockStop)) content.end(placeOf(contentBlockStop.contentBlockIndex));
      if (isObject(messageStop)) content.finish(isCut(messageStop.stopReason));
    },
  };
};
