import type { ReplyCollector } from "../dialects/reply.ts";
import { ModelError } from "../words/errors.ts";
import type { ModelEvent, ModelReply } from "../words/model.ts";

/** The reply, unless there was none to be read. A half reply is never one. */
export const readable = (id: string, reply: ModelReply | undefined): ModelReply => {
  if (reply !== undefined) return reply;
  throw new ModelError(
    "model_unreadable",
    `${id}: the provider's answer ended early or is not of the documented shape.`,
  );
};

/** The events of one stream in our words; the whole reply is the last. */
export async function* collected(
  id: string,
  events: AsyncIterable<unknown>,
  collector: ReplyCollector,
): AsyncGenerator<ModelEvent, void> {
  for await (const event of events) yield* collector.push(event);
  yield { kind: "reply", reply: readable(id, collector.reply()) };
}
