/** All that an iterable gives, once it has ended. */
export const gathered = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};
