import { isObject } from "../../../base/json/is-object.ts";
import { blockTracker } from "../calls/block-tracker.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { type ForeignFields, foreignFieldsOf, toIndex } from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { isBedrockTruncation, toToolUse } from "./tool-use.ts";

export const bedrockEvents = (drafts: CallDrafts): EventReader => {
  const content = blockTracker(drafts, "/output/message/content");

  const readStart = (event: ForeignFields): void => {
    const place = toIndex(event.contentBlockIndex);
    const use = toToolUse(foreignFieldsOf(event.start));
    if (use === undefined) content.pass(place);
    else {
      content.begin({ place, ...use });
      content.piece(place, use.input);
    }
  };

  const readDelta = (event: ForeignFields): void => {
    const place = toIndex(event.contentBlockIndex);
    const { toolUse } = foreignFieldsOf(event.delta);
    if (isObject(toolUse)) content.piece(place, toolUse.input);
    // Text blocks have no start event.
    else if (content.at(place) === undefined) content.pass(place);
  };

  return {
    read: (event) => {
      const { messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop } = event;
      if (isObject(messageStart)) content.restart();
      if (isObject(contentBlockStart)) readStart(contentBlockStart);
      if (isObject(contentBlockDelta)) readDelta(contentBlockDelta);
      if (isObject(contentBlockStop)) content.end(toIndex(contentBlockStop.contentBlockIndex));
      if (isObject(messageStop)) content.finish(isBedrockTruncation(messageStop.stopReason));
    },
  };
};
