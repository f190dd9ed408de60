/** Measurements of a page: time until it can be used, long tasks, and repaints. */
export interface Watched {
  /** Milliseconds from the start of the navigation. */
  readonly usableMs: number | undefined;
  readonly longTasks: readonly number[];
  /** Changes of the document, by the second. */
  readonly paints: Readonly<Record<number, number>>;
}

/** Runs in the page before its own code. `usable` is a selector of the content that must be present. */
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
      // After the current task the page accepts input.
      setTimeout(() => {
        watched.usableMs ??= performance.now();
      });
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
};
