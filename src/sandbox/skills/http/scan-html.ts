import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

export interface HtmlHandler {
  readonly text: (text: string) => void;
  readonly open: (name: string, href: string | undefined) => void;
  readonly close: (name: string) => void;
}

/** Their content is not markup and is skipped. */
const rawElements: ReadonlyMap<string, RegExp> = new Map(
  ["iframe", "noembed", "noframes", "noscript", "script", "style", "title"].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, "gi"),
  ]),
);

const markup = /<[a-z!?/]/gi;
const tagName = /<\/?([a-z][^\s/>]*)/iy;
const attribute = /[\s/]*(=?[^\s/>=]*)(\s*=\s*)?/y;
const unquotedValue = /[^\s>]*/y;

/** Tokenizes by the HTML standard, except scripts in comments. Linear, without a tree. */
export const scanHtml = (html: string, handler: HtmlHandler): void => {
  let at = 0;

  const moveBehind = (mark: string, from: number): void => {
    const found = html.indexOf(mark, from);
    at = found < 0 ? html.length : found + mark.length;
  };

  const moveTo = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    at = pattern.exec(html)?.index ?? html.length;
  };

  const takeComment = (): void => {
    const body = at + "<!--".length;
    const abrupt = ["->", ">"].find((end) => html.startsWith(end, body));
    if (abrupt === undefined) moveBehind("-->", body);
    else at = body + abrupt.length;
  };

  const takeValue = (): string => {
    const quote = html.charAt(at);
    if (quote === '"' || quote === "'") {
      const start = at + 1;
      moveBehind(quote, start);
      return html.slice(start, at - 1);
    }
    unquotedValue.lastIndex = at;
    const [value = ""] = unquotedValue.exec(html) ?? [];
    at += value.length;
    return value;
  };

  const takeAttributes = (): string | undefined => {
    let href: string | undefined;
    while (at < html.length) {
      attribute.lastIndex = at;
      const [whole = "", name = "", equals] = attribute.exec(html) ?? [];
      at += whole.length;
      if (name === "") break;
      const value = equals === undefined ? "" : takeValue();
      if (href === undefined && name.toLowerCase() === "href") href = decodeHTMLAttribute(value);
    }
    at++;
    return href;
  };

  const takeTag = (name: string): void => {
    const isEnd = html.charAt(at + 1) === "/";
    at += name.length + (isEnd ? 2 : 1);
    const href = takeAttributes();
    const isCutOff = at > html.length;
    if (isCutOff) return;
    if (isEnd) {
      handler.close(name.toLowerCase());
      return;
    }
    handler.open(name.toLowerCase(), href);
    const end = rawElements.get(name.toLowerCase());
    if (end !== undefined) moveTo(end);
  };

  while (at < html.length) {
    const start = at;
    moveTo(markup);
    if (at > start) handler.text(decodeHTML(html.slice(start, at)));
    tagName.lastIndex = at;
    const name = tagName.exec(html)?.[1];
    if (name !== undefined) takeTag(name);
    else if (html.startsWith("<!--", at)) takeComment();
    else moveBehind(">", at);
  }
};
