import type { ContentPart, MediaKind, MediaPart, TextPart } from "../../types/message.ts";
import { isObject, type JsonObject } from "./json-value.ts";

export type PartReading =
  | { readonly ok: true; readonly part: ContentPart }
  | { readonly ok: false; readonly why: string };

const mediaKinds: ReadonlySet<unknown> = new Set<MediaKind>(["image", "audio", "file"]);
const fields: ReadonlySet<string> = new Set(["kind", "mediaType", "name", "data", "url"]);
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/i;
const maxNameLength = 255;
const maxUrlLength = 8_192;
/** More than any provider accepts in one request. */
const maxDataLength = 268_435_456;

/** The part is frozen and has no other fields. */
export const readPart = (value: unknown): PartReading => {
  if (!isObject(value))
    return refusedPart('is not an object with a `kind`: "text", "image", "audio" or "file"');
  if (value.kind === "text") return readText(value);
  if (!mediaKinds.has(value.kind))
    return refusedPart('has no known `kind`; use "text", "image", "audio" or "file"');
  return readMedia(value);
};

const readText = ({ text, ...more }: JsonObject): PartReading => {
  const [stray] = Object.keys(more).filter((key) => key !== "kind");
  if (stray !== undefined)
    return refusedPart(`has a field ${JSON.stringify(stray.slice(0, 60))} that a text part cannot have`);
  if (typeof text !== "string") return refusedPart("is a text part without `text`");
  return acceptedPart({ kind: "text", text } satisfies TextPart);
};

const readMedia = (value: JsonObject): PartReading => {
  const { kind, mediaType: type, name, data, url } = value;
  const stray = Object.keys(value).find((key) => !fields.has(key));
  if (stray !== undefined)
    return refusedPart(`has a field ${JSON.stringify(stray.slice(0, 60))} that a media part cannot have`);
  if (typeof type !== "string" || !mediaType.test(type)) {
    return refusedPart('has no `mediaType` such as "image/png"');
  }
  if (kind !== "file" && !type.toLowerCase().startsWith(`${String(kind)}/`)) {
    return refusedPart(`is of kind "${String(kind)}", but its mediaType is "${type}"`);
  }
  if (name !== undefined && (typeof name !== "string" || name === "" || name.length > maxNameLength)) {
    return refusedPart(`has a \`name\` that is not a string of 1 to ${maxNameLength} characters`);
  }
  if ((data === undefined) === (url === undefined)) return refusedPart("must have either `data` or `url`");
  const why = data === undefined ? urlProblem(url) : dataProblem(data);
  if (why !== undefined) return refusedPart(why);
  const source = data === undefined ? { url } : { data };
  return acceptedPart({
    kind,
    mediaType: type,
    ...(name === undefined ? {} : { name }),
    ...source,
  } as MediaPart);
};

const urlProblem = (url: unknown): string | undefined =>
  typeof url === "string" && url.length <= maxUrlLength && URL.canParse(url) && /^https:\/\//i.test(url)
    ? undefined
    : "has a `url` that is not an https address";

/** Linear, because a backtracking pattern is slow on megabytes. */
const dataProblem = (data: unknown): string | undefined => {
  if (typeof data !== "string" || data === "") return "has no bytes in `data`";
  if (data.length > maxDataLength) return "is larger than any provider accepts";
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const stray = data.search(/[^A-Za-z0-9+/]/);
  const isWhole = data.length % 4 === 0 && (stray < 0 ? padding === 0 : stray === data.length - padding);
  return isWhole ? undefined : "has `data` that is not padded base64";
};

const acceptedPart = (part: ContentPart): PartReading => ({ ok: true, part: Object.freeze(part) });

const refusedPart = (why: string): PartReading => ({ ok: false, why });
