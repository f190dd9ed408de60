import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import type { ValueShape } from "./read-shape.ts";
import { capitals, dates, emails, type FoundValue, moments, urls, uuids } from "./text-values.ts";

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

const kindByWord: readonly (readonly [TextKind, ReadonlySet<string>])[] = [
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
const ownerWords = new Set(["user", "full", "your", "person", "display", "customer", "guest", "contact"]);

export const textKindOf = (key: string, shape: ValueShape): TextKind => {
  const format = shape.kind === "string" ? formats[shape.format] : undefined;
  if (format !== undefined) return format;
  const words = splitWords(key);
  const found = kindByWord.find(([, known]) => words.some((word) => known.has(word)));
  if (found !== undefined) return found[0];
  const isName = words.at(-1) === "name" && words.slice(0, -1).every((word) => ownerWords.has(word));
  return isName ? "person" : "plain";
};

const firstMatch = (text: string, ...patterns: readonly RegExp[]): FoundValue | undefined => {
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
const introducedName = new RegExp(
  `(?<!\\p{L})(?:[Ii]['’]?m|[Ii] am|[Tt]his is|[Nn]ame['’]s)\\s+${named}`,
  "u",
);
const saidName =
  /(?<!\p{L})(?:my name is|call me)\s+([\p{L}][\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*)/iu;
const addressedName = new RegExp(
  `(?<!\\p{L})(?:to|for|with|greet|named|called|[Gg]reet|[Ww]elcome)\\s+${named}`,
  "u",
);

/** Names that are no places and stand for themselves. */
export const calendarWords =
  "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December";
const placeAfter = (words: string): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words})\\s+(?!(?:${calendarWords})(?!\\p{L}))${named}`, "u");
const lowercasePlace =
  /(?<!\p{L})(?:in|at|near|for)\s+(\p{Ll}[\p{L}'’-]{2,})(?=\s*(?:[?.!,;]|$|\s(?:today|tonight|tomorrow|now|this|next|on|please)(?!\p{L})))/gu;
const timeWords = new Set(
  "today tonight tomorrow yesterday now morning evening noon week month year celsius fahrenheit".split(" "),
);

const findPlace = (text: string, key: string): FoundValue | undefined => {
  const words = splitWords(key);
  const side = words.some((word) => /^(?:origin|from|departure|start)$/.test(word))
    ? "from"
    : words.some((word) => /^(?:destination|to|arrival)$/.test(word))
      ? "to|into"
      : "in|at|near|around|[Ii]n";
  const found = firstMatch(
    text,
    placeAfter(side),
    placeAfter("in|for|at|near|around|of|to|from|[Ii]n|[Ff]or|[Aa]t"),
  );
  if (found !== undefined) return found;
  for (const match of text.matchAll(lowercasePlace)) {
    const value = match[1] ?? "";
    if (isStopWord(value) || timeWords.has(value)) continue;
    const start = match.index + match[0].length - value.length;
    return { value, start, end: start + value.length };
  }
  return undefined;
};

/** Every value of a kind that has a form of its own, or nothing for other kinds. */
export const findAllOfKind = (text: string, kind: TextKind): readonly FoundValue[] | undefined => {
  if (kind === "url") return urls(text);
  if (kind === "email") return emails(text);
  if (kind === "date") return dates(text);
  if (kind === "moment") return moments(text);
  return kind === "uuid" ? uuids(text) : undefined;
};

/** A value by its form or by the words around it: an address, a date, "I'm Ada", "in Oslo". */
export const findKind = (text: string, key: string, kind: TextKind): FoundValue | undefined => {
  const every = findAllOfKind(text, kind);
  if (every !== undefined) return every[0];
  if (kind === "address") return emails(text)[0] ?? firstMatch(text, addressedName);
  if (kind === "person") return firstMatch(text, introducedName, saidName, addressedName);
  return kind === "place" ? findPlace(text, key) : undefined;
};
