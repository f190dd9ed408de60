/// <reference path="./html-to-text.d.ts" />
import { compile } from "html-to-text";

/** The parser's time grows with the square of the tags, so that a page of more is read in a simpler way. */
const mostTags = 20_000;

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: 200, maxChildNodes: 20_000 },
  selectors: [
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    {
      selector: "a",
      options: {
        hideLinkHrefIfSameAsText: true,
        noAnchorUrl: true,
        pathRewrite: (path: string, { base }: { readonly base: string }) =>
          URL.parse(path, base)?.href ?? path,
      },
    },
    ...["head", "script", "style", "template", "noscript", "iframe", "object", "svg", "img"].map(
      (selector) => ({
        selector,
        format: "skip",
      }),
    ),
    { selector: "table", format: "block", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...["td", "th"].map((selector) => ({
      selector,
      format: "inlineSurround",
      options: { prefix: "", suffix: " | " },
    })),
  ],
});

/** What a person would read of a page: its words, with links as text behind them. */
export const readable = (html: string, base: string): string =>
  (countTags(html) > mostTags ? withoutTags(html) : convert(html, { base })).trimEnd();

const countTags = (html: string): number => {
  let count = 0;
  for (let at = html.indexOf("<"); at !== -1 && count <= mostTags; at = html.indexOf("<", at + 1)) count++;
  return count;
};

const silent = /^(script|style|template|noscript|svg|head)\b/i;
const breaking = /^\/?(p|div|br|li|tr|h[1-6]|section|article|table|ul|ol|blockquote|pre)\b/i;

/** Every tag taken out in one pass, with a line break where a block begins or ends. */
const withoutTags = (html: string): string => {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    parts.push(html.slice(at, open === -1 ? undefined : open));
    if (open === -1) break;
    const name = silent.exec(html.slice(open + 1, open + 12))?.[1]?.toLowerCase();
    const end = name === undefined ? open : lower.indexOf(`</${name}`, open);
    if (end === -1) break;
    const close = html.indexOf(">", end);
    if (close === -1) break;
    if (breaking.test(html.slice(open + 1, open + 12))) parts.push("\n");
    at = close + 1;
  }
  return decoded(parts.join(""))
    .replace(/[ \t\r\f]+/g, " ")
    .replace(/\n\s+/g, "\n")
    .trim();
};

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#39": "'",
};

const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? "");
