export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place that was not changed and has to be checked by hand. */
export interface Note {
  readonly line: number;
  readonly message: string;
}

export interface Migration {
  readonly text: string;
  readonly edits: readonly Edit[];
  readonly notes: readonly Note[];
}

export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  let [result, at] = ["", 0];
  for (const { start, end, text: inserted } of [...edits].sort((left, right) => left.start - right.start)) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
};

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

export const sortedNotes = (notes: readonly Note[]): readonly Note[] => {
  const seen = new Map(notes.map((note) => [`${note.line} ${note.message}`, note]));
  return [...seen.values()].sort((left, right) => left.line - right.line);
};
