import type { ContentPart, MediaKind, MediaPart, TextPart } from "../words/content.ts";
import { isObject, type JsonObject } from "./is-object.ts";

/** A part that keeps to its type, frozen and with nothing besides; or what is wrong with it, in words. */
export type PartReading =
  | { readonly ok: true; readonly part: ContentPart }
  | { readonly ok: false; readonly why: string };

const kinds: ReadonlySet<unknown> = new Set<MediaKind>(["image", "audio", "file"]);
const fields: ReadonlySet<string> = new Set(["kind", "mediaType", "name", "data", "url"]);
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/i;
const longestName = 255;
const longestUrl = 8_192;
/** More than any provider takes in one request. */
const longestData = 268_435_456;

/** Reads a foreign value as a part of content. Each member is read once; getters that throw are the caller's. */
export const readPart = (value: unknown): PartReading => {
  if (!isObject(value)) return bad('is no object with a `kind`: "text", "image", "audio" or "file"');
  if (value.kind === "text") return readText(value);
  if (!kinds.has(value.kind)) return bad('has no known `kind`: it takes "text", "image", "audio" or "file"');
  return readMedia(value);
};

const readText = ({ text, ...more }: JsonObject): PartReading => {
  const [stray] = Object.keys(more).filter((key) => key !== "kind");
  if (stray !== undefined) return bad(`has a field ${JSON.stringify(stray.slice(0, 60))} that no text has`);
  if (typeof text !== "string") return bad("is a text without `text`");
  return good({ kind: "text", text } satisfies TextPart);
};

const readMedia = (value: JsonObject): PartReading => {
  const { kind, mediaType: type, name, data, url } = value;
  const stray = Object.keys(value).find((key) => !fields.has(key));
  if (stray !== undefined) return bad(`has a field ${JSON.stringify(stray.slice(0, 60))} that no media has`);
  if (typeof type !== "string" || !mediaType.test(type)) {
    return bad('has no `mediaType` such as "image/png"');
  }
  if (kind !== "file" && !type.toLowerCase().startsWith(`${String(kind)}/`)) {
    return bad(`is of kind "${String(kind)}", but its mediaType is "${type}"`);
  }
  if (name !== undefined && (typeof name !== "string" || name === "" || name.length > longestName)) {
    return bad(`has a \`name\` that is no text of 1 to ${longestName} characters`);
  }
  if ((data === undefined) === (url === undefined)) return bad("takes either `data` or `url`");
  const why = data === undefined ? wrongUrl(url) : wrongData(data);
  if (why !== undefined) return bad(why);
  const source = data === undefined ? { url } : { data };
  return good({ kind, mediaType: type, ...(name === undefined ? {} : { name }), ...source } as MediaPart);
};

const wrongUrl = (url: unknown): string | undefined =>
  typeof url === "string" && url.length <= longestUrl && URL.canParse(url) && /^https:\/\//i.test(url)
    ? undefined
    : "has a `url` that is no https address";

/** Searched for the first character that does not belong: no pattern may walk back over megabytes. */
const wrongData = (data: unknown): string | undefined => {
  if (typeof data !== "string" || data === "") return "has no bytes in `data`";
  if (data.length > longestData) return "has more bytes than any provider takes";
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const stray = data.search(/[^A-Za-z0-9+/]/);
  const isWhole = data.length % 4 === 0 && (stray < 0 ? padding === 0 : stray === data.length - padding);
  return isWhole ? undefined : "has `data` that is not base64 with its padding";
};

const good = (part: ContentPart): PartReading => ({ ok: true, part: Object.freeze(part) });

const bad = (why: string): PartReading => ({ ok: false, why });
