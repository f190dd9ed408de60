import { ModelError } from "../types/errors.ts";
import type { ModelEvent, ModelReply } from "../types/model.ts";
import { boundedEvents } from "./bounded-fetch.ts";
import type { ReplyCollector } from "./dialects/model-reply.ts";

/** A partial reply is never accepted. */
export const requireReply = (id: string, reply: ModelReply | undefined): ModelReply => {
  if (reply !== undefined) return reply;
  throw new ModelError(
    "model_unreadable",
    `${id}: the provider's answer ended early or is not of the documented shape.`,
  );
};

export async function* collectReply(
  id: string,
  events: AsyncIterable<unknown>,
  collector: ReplyCollector,
): AsyncGenerator<ModelEvent, void> {
  for await (const event of boundedEvents(events)) yield* collector.push(event);
  yield { kind: "reply", reply: requireReply(id, collector.reply()) };
}
