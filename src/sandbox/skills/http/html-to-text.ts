import { scanHtml } from "./scan-html.ts";

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const headings = wordSet("h1 h2 h3");
const paragraphs = wordSet("blockquote dl h4 h5 h6 hr ol p pre table ul");
const blocks = wordSet(
  "address article aside body caption center dd details dialog div dt fieldset figcaption figure footer form header " +
    "hgroup html legend li main menu nav option search section summary tbody tfoot thead tr",
);

const breaksAt = (side: "before" | "behind", name: string): number => {
  if (headings.has(name)) return side === "before" ? 3 : 2;
  if (paragraphs.has(name)) return 2;
  return blocks.has(name) ? 1 : 0;
};

const skippedElements = wordSet("object svg template");

const containers = wordSet("blockquote li ol ul");

const tableParts = wordSet("table td th tr");

/** Deeper containers are treated as blocks. */
const maxContainers = 100;

const hiddenAddress = /^(?:javascript|data):/;
const maxAddressLength = 2_000;

interface OpenContainer {
  readonly name: string;
  items: number;
}

/** Link addresses follow in brackets. */
export const htmlToText = (html: string, base: string): string => {
  const writer = textWriter();
  const open: OpenContainer[] = [];
  let dropped = 0;
  let skipping: { readonly name: string; depth: number } | undefined;
  let link: { readonly href: string; text: string } | undefined;
  let preformatted = 0;
  let cell: { isEmpty: boolean } | undefined;

  const closeLink = (): void => {
    if (link === undefined) return;
    const { href, text } = link;
    link = undefined;
    if (href !== "" && href !== text.trim()) writer.text(text.trim() === "" ? href : ` [${href}]`);
  };
  const closeCell = (): void => {
    if (cell === undefined) return;
    cell = undefined;
    writer.joinLine();
    writer.text(" | ");
  };
  const breakAt = (side: "before" | "behind", name: string): void => {
    const isNestedList = isListName(name) && open.length > 0;
    writer.breakLine(isNestedList ? 1 : breaksAt(side, name));
  };
  const pop = (): void => {
    const closed = open.pop();
    if (closed?.name === "li" || closed?.name === "blockquote") writer.outdent();
  };
  const closeContainer = (name: string): void => {
    if (dropped > 0) {
      dropped--;
      return;
    }
    const scope = name === "li" ? open.findLastIndex(isList) : -1;
    const found = open.findLastIndex((each) => each.name === name);
    if (found > scope) while (open.length > found) pop();
  };
  const openContainer = (name: string): void => {
    if (name === "li") closeContainer(name);
    if (open.length >= maxContainers) {
      dropped++;
      return;
    }
    open.push({ name, items: 0 });
    if (name === "blockquote") writer.indent({ firstLine: "> ", otherLines: "> " });
    if (name === "li") {
      const marker = markerIn(open.findLast(isList));
      writer.indent({ firstLine: marker, otherLines: " ".repeat(marker.length) });
    }
  };

  scanHtml(html, {
    text: (text) => {
      if (skipping !== undefined) return;
      if (cell !== undefined && text.trim() !== "") cell.isEmpty = false;
      if (link !== undefined && link.text.length < maxAddressLength) link.text += text;
      if (preformatted > 0) writer.verbatim(text);
      else writer.text(text);
    },
    open: (name, href) => {
      if (skipping !== undefined) {
        if (name === skipping.name) skipping.depth++;
        return;
      }
      if (skippedElements.has(name)) skipping = { name, depth: 1 };
      if (name === "a") {
        closeLink();
        if (href !== undefined) link = { href: addressOf(href, base), text: "" };
      }
      if (tableParts.has(name)) closeCell();
      if (name === "br") writer.addBreak();
      else if (cell?.isEmpty !== true) breakAt("before", name);
      if (name === "td" || name === "th") cell = { isEmpty: true };
      if (name === "hr") {
        writer.text("---");
        writer.breakLine(2);
      }
      if (name === "pre") preformatted++;
      if (containers.has(name)) openContainer(name);
    },
    close: (name) => {
      if (skipping !== undefined) {
        if (name === skipping.name && --skipping.depth === 0) skipping = undefined;
        return;
      }
      if (name === "a") closeLink();
      if (tableParts.has(name)) closeCell();
      if (name === "pre" && preformatted > 0) preformatted--;
      if (containers.has(name)) closeContainer(name);
      breakAt("behind", name);
    },
  });
  closeLink();
  closeCell();
  return writer.toString().trimEnd();
};

/** Collapses white space as a browser does. */
interface TextWriter {
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

interface LinePrefix {
  readonly firstLine: string;
  readonly otherLines: string;
}

/** Bounds the output. */
const maxLevels = 10;
const maxBreaks = 3;
const whiteSpace = /[ \t\r\n\f]+/;

const textWriter = (): TextWriter => {
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

const isListName = (name: string): boolean => name === "ol" || name === "ul";

const isList = ({ name }: OpenContainer): boolean => isListName(name);

const markerIn = (list: OpenContainer | undefined): string => {
  if (list?.name !== "ol") return " * ";
  list.items++;
  return ` ${list.items}. `;
};

/** "" for fragments and hidden or overlong addresses. */
const addressOf = (href: string, base: string): string => {
  if (href.startsWith("#") || href.length > maxAddressLength) return "";
  const address = URL.parse(href, base)?.href ?? href;
  return hiddenAddress.test(address) ? "" : address.replace(/^mailto:/, "");
};
