import type { ModelEvent } from "../../src/types/model.ts";

/** All items of an iterable, after it has ended. */
export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

/** The events of a stream, and the reply that ends it. */
export const collectStream = async (events: AsyncIterable<ModelEvent>) => {
  const reported = await collect(events);
  const last = reported.pop();
  if (last?.kind !== "reply") throw new Error("The last event of a stream is the reply.");
  return { reported, reply: last.reply };
};
