/** What one client has loaded, for as long as its connection or session lasts. */
export interface LoadedTools {
  /** As clients know them, in the order they came: a list that only grows at its end is cheap for a model to read again. */
  readonly names: readonly string[];
  readonly add: (names: readonly string[]) => void;
}

/** `changed` is called after something was added that was not there. */
export const createLoadedTools = (onChange: () => void): LoadedTools => {
  const names = new Set<string>();
  return {
    get names() {
      return [...names];
    },
    add: (more) => {
      const before = names.size;
      for (const name of more) names.add(name);
      if (names.size > before) onChange();
    },
  };
};
