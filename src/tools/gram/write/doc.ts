/** A text whose line breaks are not decided yet. A group stands on one line if it fits and nothing in it is hard. */
export interface Doc {
  readonly kind: "text" | "raw" | "line" | "all" | "nest" | "group";
  /** What a line is when it is not broken, or the text itself. */
  readonly text: string;
  readonly parts: readonly Doc[];
  /** Length on one line. */
  readonly width: number;
  /** Holds a break that no width removes. */
  readonly hard: boolean;
}

const none: readonly Doc[] = Object.freeze([]);

export const text = (content: string): Doc => ({
  kind: "text",
  text: content,
  parts: none,
  width: content.length,
  hard: false,
});

/** Text of several lines that is printed as it is; `hard` when the lines around it are to break as well. */
export const raw = (content: string, hard: boolean): Doc => ({
  kind: "raw",
  text: content,
  parts: none,
  width: content.length,
  hard,
});

const line = (flat: string, hard: boolean): Doc => ({
  kind: "line",
  text: flat,
  parts: none,
  width: flat.length,
  hard,
});

export const spaceLine = line(" ", false);
export const softLine = line("", false);
export const hardLine = line("", true);

const composed = (kind: "all" | "nest" | "group", parts: readonly Doc[]): Doc => {
  let width = 0;
  let hard = false;
  for (const part of parts) {
    width += part.width;
    hard ||= part.hard;
  }
  return { kind, text: "", parts, width, hard };
};

export const all = (parts: readonly Doc[]): Doc => composed("all", parts);
export const nest = (parts: readonly Doc[]): Doc => composed("nest", parts);
export const group = (parts: readonly Doc[]): Doc => composed("group", parts);
export const empty: Doc = text("");

interface WriterState {
  readonly chunks: string[];
  readonly width: number;
  column: number;
  /** Spaces owed to the line that was begun, so that a blank one has none. */
  owed: number;
}

const put = (page: WriterState, content: string): void => {
  if (content === "") return;
  if (page.owed > 0) page.chunks.push(" ".repeat(page.owed));
  page.owed = 0;
  page.chunks.push(content);
  page.column += content.length;
};

const print = (page: WriterState, doc: Doc, indent: number, broken: boolean): void => {
  if (doc.kind === "text") put(page, doc.text);
  else if (doc.kind === "raw") {
    put(page, doc.text);
    page.column = doc.text.length - doc.text.lastIndexOf("\n") - 1;
  } else if (doc.kind === "line") {
    if (!broken && !doc.hard) {
      put(page, doc.text);
      return;
    }
    page.chunks.push("\n");
    page.column = page.owed = indent;
  } else {
    const inner = doc.kind === "nest" ? indent + 2 : indent;
    const breaks = doc.kind === "group" ? doc.hard || page.column + doc.width > page.width : broken;
    for (const part of doc.parts) print(page, part, inner, breaks);
  }
};

/** Lays a document out in one pass. */
export const printed = (doc: Doc, width: number): string => {
  const page: WriterState = { chunks: [], width, column: 0, owed: 0 };
  print(page, doc, 0, true);
  return page.chunks.join("");
};
