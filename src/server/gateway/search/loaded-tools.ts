export interface LoadedTools {
  /** In loading order, which keeps the prompt cache of models valid. */
  readonly names: readonly string[];
  readonly add: (names: readonly string[]) => void;
}

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
