/** Whether a key goes into a field or belongs to the browser: then it is no command of the page. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target instanceof HTMLElement &&
    event.target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null);
