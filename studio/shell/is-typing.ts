/** Whether a key belongs to an input or a browser shortcut, and not to the page. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target instanceof HTMLElement &&
    event.target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null);
