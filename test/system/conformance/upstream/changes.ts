/** Entries that are listed only at times, so that lists change. Shared by all connections of this process. */
export interface Changes {
  readonly extraTool: () => boolean;
  readonly extraPrompt: () => boolean;
  readonly changeTools: () => void;
  readonly changePrompts: () => void;
  readonly listen: (listener: (kind: "tools" | "prompts") => void) => () => void;
}

export const createChanges = (): Changes => {
  const listeners = new Set<(kind: "tools" | "prompts") => void>();
  const extra = { tools: false, prompts: false };
  const change = (kind: "tools" | "prompts") => () => {
    extra[kind] = !extra[kind];
    for (const listener of listeners) listener(kind);
  };
  return {
    extraTool: () => extra.tools,
    extraPrompt: () => extra.prompts,
    changeTools: change("tools"),
    changePrompts: change("prompts"),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
