import type { ModelEvent } from "../../src/words/model.ts";

/** All that an iterable gives, once it has ended. */
export const gathered = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

/** The events of a stream, and the reply that ends it. */
export const readStream = async (events: AsyncIterable<ModelEvent>) => {
  const told = await gathered(events);
  const last = told.pop();
  if (last?.kind !== "reply") throw new Error("The last event of a stream is the reply.");
  return { told, reply: last.reply };
};
