/** Line breaks are undecided. A group stays on one line if it fits and contains no hard break. */
export interface Doc {
  readonly kind: "text" | "raw" | "line" | "all" | "nest" | "group";
  /** The text, or what an unbroken line becomes. */
  readonly text: string;
  readonly parts: readonly Doc[];
  /** Length on one line. */
  readonly width: number;
  /** Contains a mandatory line break. */
  readonly hard: boolean;
}

const noDocs: readonly Doc[] = Object.freeze([]);

export const textDoc = (content: string): Doc => ({
  kind: "text",
  text: content,
  parts: noDocs,
  width: content.length,
  hard: false,
});

/** Multi-line text; `hard` also breaks the lines around it. */
export const rawDoc = (content: string, hard: boolean): Doc => ({
  kind: "raw",
  text: content,
  parts: noDocs,
  width: content.length,
  hard,
});

const lineDoc = (flat: string, hard: boolean): Doc => ({
  kind: "line",
  text: flat,
  parts: noDocs,
  width: flat.length,
  hard,
});

export const spaceLine = lineDoc(" ", false);
export const softLine = lineDoc("", false);
export const hardLine = lineDoc("", true);

const composed = (kind: "all" | "nest" | "group", parts: readonly Doc[]): Doc => {
  let width = 0;
  let hard = false;
  for (const part of parts) {
    width += part.width;
    hard ||= part.hard;
  }
  return { kind, text: "", parts, width, hard };
};

export const concat = (parts: readonly Doc[]): Doc => composed("all", parts);
export const nestDoc = (parts: readonly Doc[]): Doc => composed("nest", parts);
export const groupDoc = (parts: readonly Doc[]): Doc => composed("group", parts);
export const emptyDoc: Doc = textDoc("");

interface WriterState {
  readonly chunks: string[];
  readonly width: number;
  column: number;
  /** Indentation, written only if the line has text. */
  owed: number;
}

const writeChunk = (state: WriterState, content: string): void => {
  if (content === "") return;
  if (state.owed > 0) state.chunks.push(" ".repeat(state.owed));
  state.owed = 0;
  state.chunks.push(content);
  state.column += content.length;
};

const printDoc = (state: WriterState, doc: Doc, indent: number, broken: boolean): void => {
  if (doc.kind === "text") writeChunk(state, doc.text);
  else if (doc.kind === "raw") {
    writeChunk(state, doc.text);
    state.column = doc.text.length - doc.text.lastIndexOf("\n") - 1;
  } else if (doc.kind === "line") {
    if (!broken && !doc.hard) {
      writeChunk(state, doc.text);
      return;
    }
    state.chunks.push("\n");
    state.column = state.owed = indent;
  } else {
    const inner = doc.kind === "nest" ? indent + 2 : indent;
    const breaks = doc.kind === "group" ? doc.hard || state.column + doc.width > state.width : broken;
    for (const part of doc.parts) printDoc(state, part, inner, breaks);
  }
};

export const renderDoc = (doc: Doc, width: number): string => {
  const page: WriterState = { chunks: [], width, column: 0, owed: 0 };
  printDoc(page, doc, 0, true);
  return page.chunks.join("");
};
