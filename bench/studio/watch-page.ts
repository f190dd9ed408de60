/** What a page tells of itself: when it could be used, tasks that were long, and how often it was painted anew. */
export interface Watched {
  /** Milliseconds from the start of the navigation. */
  readonly usableMs: number | undefined;
  readonly longTasks: readonly number[];
  /** Changes of the document, by the second. */
  readonly paints: Readonly<Record<number, number>>;
}

/** Runs in the page before anything of it does. `usable` is a selector of what must be there before somebody can use it. */
export const watchPage = (usable: string): void => {
  const watched = {
    usableMs: undefined as number | undefined,
    longTasks: [] as number[],
    paints: {} as Record<number, number>,
  };
  (globalThis as unknown as { watched: typeof watched }).watched = watched;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  let isChanged = false;
  const frame = (): void => {
    if (isChanged) {
      isChanged = false;
      const second = Math.floor(performance.now() / 1_000);
      watched.paints[second] = (watched.paints[second] ?? 0) + 1;
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver(() => {
    isChanged = true;
    if (watched.usableMs === undefined && document.querySelector(usable) !== null) {
      // Once what runs now is over, the page takes input.
      setTimeout(() => {
        watched.usableMs ??= performance.now();
      });
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
};
