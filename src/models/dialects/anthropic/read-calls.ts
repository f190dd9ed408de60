import { blockTracker, type CallDraft, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  eventTable,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";

/** A last call may lack arguments if the token limit was reached. */
export const readAnthropicMessage = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of foreignListOf(body.content).entries()) {
    const block = toToolBlock(foreignFieldsOf(entry));
    last = block && drafts.add({ ...block, part: `/content/${place}`, isSentWhole: true });
  }
  if (last !== undefined && isAnthropicTruncation(body.stop_reason)) endDraft(last, true);
};

interface ToolBlock {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toToolBlock = ({ type, id, name, input }: ForeignFields): ToolBlock | undefined => {
  const providerExecuted = type === "server_tool_use" || type === "mcp_tool_use";
  if (type !== "tool_use" && !providerExecuted) return undefined;
  return { id: foreignTextOf(id), tool: foreignTextOf(name), input, providerExecuted };
};

const truncationReasons: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
]);

export const isAnthropicTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

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
