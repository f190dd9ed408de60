/** Collapses white space as a browser does. */
export interface TextWriter {
  readonly text: (text: string) => void;
  readonly verbatim: (text: string) => void;
  /** Minimum before the next text. */
  readonly breakLine: (count: number) => void;
  readonly addBreak: () => void;
  /** Discards pending line breaks. */
  readonly joinLine: () => void;
  readonly indent: (prefix: LinePrefix) => void;
  readonly outdent: () => void;
  readonly toString: () => string;
}

export interface LinePrefix {
  readonly firstLine: string;
  readonly otherLines: string;
}

/** Bounds the output. */
const maxLevels = 10;
const maxBreaks = 3;
const whiteSpace = /[ \t\r\n\f]+/;

export const textWriter = (): TextWriter => {
  const parts: string[] = [];
  const levels: { readonly prefix: LinePrefix; isBegun: boolean }[] = [];
  let depth = 0;
  let breaks = 0;
  let needsSpace = false;

  const beginLine = (): void => {
    if (parts.length > 0) parts.push("\n".repeat(breaks));
    for (const level of levels) {
      parts.push(level.isBegun ? level.prefix.otherLines : level.prefix.firstLine);
      level.isBegun = true;
    }
    breaks = 0;
    needsSpace = false;
  };

  const put = (text: string): void => {
    if (breaks > 0 || parts.length === 0) beginLine();
    if (needsSpace) parts.push(" ");
    needsSpace = false;
    parts.push(text);
  };

  return {
    text: (text) => {
      const words = text.split(whiteSpace);
      if (words[0] === "") needsSpace = true;
      const inner = words.filter((word) => word !== "").join(" ");
      if (inner === "") return;
      put(inner);
      needsSpace = words.at(-1) === "";
    },
    verbatim: (text) => {
      for (const [number, line] of text.split("\n").entries()) {
        if (number > 0) breaks++;
        if (line !== "") put(line);
      }
    },
    breakLine: (count) => {
      breaks = Math.max(breaks, count);
    },
    addBreak: () => {
      breaks = Math.min(breaks + 1, maxBreaks);
    },
    joinLine: () => {
      breaks = 0;
    },
    indent: (prefix) => {
      depth++;
      if (depth <= maxLevels) levels.push({ prefix, isBegun: false });
    },
    outdent: () => {
      depth--;
      if (depth < levels.length) levels.pop();
    },
    toString: () => parts.join(""),
  };
};
