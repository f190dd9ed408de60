/** Work that tells of itself while it goes on: its updates as they come, and what came of it at the end. */
export async function* withUpdates<Done>(
  start: (tell: (update: unknown) => void) => Promise<Done>,
): AsyncGenerator<unknown, Done> {
  const told: unknown[] = [];
  let wake = (): void => {};
  const work = start((update) => {
    told.push(update);
    wake();
  });
  // Most tools tell nothing before they are done, and then this is waited for once.
  const over = work.then(isOver, isOver);
  for (;;) {
    yield* told.splice(0);
    const news = new Promise<false>((resolve) => {
      wake = () => resolve(false);
    });
    if (told.length === 0 && (await Promise.race([over, news]))) break;
  }
  yield* told;
  return await work;
}

const isOver = (): true => true;
