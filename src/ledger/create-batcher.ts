interface QueuedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Items that arrive during a batch wait for the next. `perform` returns one result per item, in order. */
export const createBatcher = <Item, Result>(
  maxBatchSize: number,
  perform: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result>) => {
  let queue: QueuedItem<Item, Result>[] = [];
  let isBusy = false;
  const drain = async (): Promise<void> => {
    isBusy = true;
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatchSize);
      queue = queue.slice(maxBatchSize);
      try {
        const results = await perform(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isBusy) void drain();
    });
};
