export async function* yieldUpdates<Done>(
  start: (onUpdate: (update: unknown) => void) => Promise<Done>,
): AsyncGenerator<unknown, Done> {
  const updates: unknown[] = [];
  let wake = (): void => {};
  const work = start((update) => {
    updates.push(update);
    wake();
  });
  const over = work.then(alwaysTrue, alwaysTrue);
  for (;;) {
    yield* updates.splice(0);
    const signal = new Promise<false>((resolve) => {
      wake = () => resolve(false);
    });
    if (updates.length === 0 && (await Promise.race([over, signal]))) break;
  }
  yield* updates;
  return await work;
}

const alwaysTrue = (): true => true;
