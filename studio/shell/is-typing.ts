/** Such keys are not page commands. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target instanceof HTMLElement &&
    event.target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null);
