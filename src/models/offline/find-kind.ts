import { isStopWord, splitWords } from "../../selection/terms.ts";
import type { ValueShape } from "./shape.ts";
import { capitals, dates, emails, type FoundValue, moments, urls, uuids } from "./text.ts";

/** What a text under some name most likely is, which says where to look for it. */
export type TextKind =
  | "url"
  | "email"
  | "date"
  | "moment"
  | "uuid"
  | "address"
  | "person"
  | "place"
  | "prose"
  | "plain";

const formats: Readonly<Record<string, TextKind>> = {
  uri: "url",
  url: "url",
  iri: "url",
  email: "email",
  "idn-email": "email",
  date: "date",
  "date-time": "moment",
  uuid: "uuid",
};

const byWord: readonly (readonly [TextKind, ReadonlySet<string>])[] = [
  ["url", new Set(["url", "uri", "link", "href", "website"])],
  ["email", new Set(["email", "emails"])],
  ["date", new Set(["date", "dates", "deadline", "birthday"])],
  ["address", new Set(["to", "recipient", "recipients", "cc", "bcc"])],
  [
    "place",
    new Set("city cities location locations place town country destination origin region".split(" ")),
  ],
  ["person", new Set(["person", "who", "username", "nickname"])],
  [
    "prose",
    new Set(
      `query q text message question prompt content input topic term terms keyword keywords search expression body
      phrase sentence note task title reason comment todo reminder thought`.split(/\s+/),
    ),
  ],
];
const owners = new Set(["user", "full", "your", "person", "display", "customer", "guest", "contact"]);

export const kindOf = (key: string, shape: ValueShape): TextKind => {
  const format = shape.kind === "string" ? formats[shape.format] : undefined;
  if (format !== undefined) return format;
  const words = splitWords(key);
  const found = byWord.find(([, known]) => words.some((word) => known.has(word)));
  if (found !== undefined) return found[0];
  const isName = words.at(-1) === "name" && words.slice(0, -1).every((word) => owners.has(word));
  return isName ? "person" : "plain";
};

const first = (text: string, ...patterns: readonly RegExp[]): FoundValue | undefined => {
  for (const pattern of patterns) {
    const match = pattern.exec(text);
    const value = match?.[1];
    if (match === null || value === undefined) continue;
    const start = match.index + match[0].length - value.length;
    return { value, start, end: start + value.length };
  }
  return undefined;
};

const named = `(${capitals})`;
const introduced = new RegExp(`(?<!\\p{L})(?:[Ii]['’]?m|[Ii] am|[Tt]his is|[Nn]ame['’]s)\\s+${named}`, "u");
const said = /(?<!\p{L})(?:my name is|call me)\s+([\p{L}][\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*)/iu;
const addressed = new RegExp(
  `(?<!\\p{L})(?:to|for|with|greet|named|called|[Gg]reet|[Ww]elcome)\\s+${named}`,
  "u",
);

/** Names that are no places and stand for themselves. */
export const calendar =
  "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December";
const somewhere = (words: string): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words})\\s+(?!(?:${calendar})(?!\\p{L}))${named}`, "u");
const anywhere =
  /(?<!\p{L})(?:in|at|near|for)\s+(\p{Ll}[\p{L}'’-]{2,})(?=\s*(?:[?.!,;]|$|\s(?:today|tonight|tomorrow|now|this|next|on|please)(?!\p{L})))/gu;
const times = new Set(
  "today tonight tomorrow yesterday now morning evening noon week month year celsius fahrenheit".split(" "),
);

const place = (text: string, key: string): FoundValue | undefined => {
  const words = splitWords(key);
  const side = words.some((word) => /^(?:origin|from|departure|start)$/.test(word))
    ? "from"
    : words.some((word) => /^(?:destination|to|arrival)$/.test(word))
      ? "to|into"
      : "in|at|near|around|[Ii]n";
  const found = first(
    text,
    somewhere(side),
    somewhere("in|for|at|near|around|of|to|from|[Ii]n|[Ff]or|[Aa]t"),
  );
  if (found !== undefined) return found;
  for (const match of text.matchAll(anywhere)) {
    const value = match[1] ?? "";
    if (isStopWord(value) || times.has(value)) continue;
    const start = match.index + match[0].length - value.length;
    return { value, start, end: start + value.length };
  }
  return undefined;
};

/** Every value of a kind that has a form of its own, or nothing for other kinds. */
export const everyOf = (text: string, kind: TextKind): readonly FoundValue[] | undefined => {
  if (kind === "url") return urls(text);
  if (kind === "email") return emails(text);
  if (kind === "date") return dates(text);
  if (kind === "moment") return moments(text);
  return kind === "uuid" ? uuids(text) : undefined;
};

/** A value by its form or by the words around it: an address, a date, "I'm Ada", "in Oslo". */
export const findKind = (text: string, key: string, kind: TextKind): FoundValue | undefined => {
  const every = everyOf(text, kind);
  if (every !== undefined) return every[0];
  if (kind === "address") return emails(text)[0] ?? first(text, addressed);
  if (kind === "person") return first(text, introduced, said, addressed);
  return kind === "place" ? place(text, key) : undefined;
};
