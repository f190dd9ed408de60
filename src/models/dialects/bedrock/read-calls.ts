import { isObject } from "../../../base/json/json-value.ts";
import { blockTracker, type CallDraft, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";

export const readBedrockReply = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  const { content } = foreignFieldsOf(foreignFieldsOf(body.output).message);
  for (const [place, entry] of foreignListOf(content).entries()) {
    const use = toToolUse(foreignFieldsOf(entry));
    last = use && drafts.add({ ...use, part: `/output/message/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isBedrockTruncation(body.stopReason)) endDraft(last, true);
};

interface BedrockToolUse {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toToolUse = (block: ForeignFields): BedrockToolUse | undefined => {
  if (!isObject(block.toolUse)) return undefined;
  const { toolUseId, name, input, type } = foreignFieldsOf(block.toolUse);
  return {
    id: foreignTextOf(toolUseId),
    tool: foreignTextOf(name),
    input,
    providerExecuted: type === "server_tool_use",
  };
};

const truncationReasons: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "guardrail_intervened",
  "content_filtered",
  "malformed_tool_use",
  "malformed_model_output",
]);

export const isBedrockTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

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
