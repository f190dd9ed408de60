import { ModelError } from "../types/errors.ts";
import type { ModelEvent, ModelReply } from "../types/model.ts";
import { boundedEvents } from "./bounded-fetch.ts";
import type { ReplyCollector } from "./dialects/model-reply.ts";

/** The reply, unless there was none to be read. A half reply is never one. */
export const requireReply = (id: string, reply: ModelReply | undefined): ModelReply => {
  if (reply !== undefined) return reply;
  throw new ModelError(
    "model_unreadable",
    `${id}: the provider's answer ended early or is not of the documented shape.`,
  );
};

/** The events of one stream in our words; the whole reply is the last. */
export async function* collectReply(
  id: string,
  events: AsyncIterable<unknown>,
  collector: ReplyCollector,
): AsyncGenerator<ModelEvent, void> {
  for await (const event of boundedEvents(events)) yield* collector.push(event);
  yield { kind: "reply", reply: requireReply(id, collector.reply()) };
}
