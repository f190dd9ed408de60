/** Of OpenAPI and RFC 6570. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "tabDelimited"
  | "deepObject";

export interface StyledName {
  readonly name: string;
  readonly style: ParameterStyle;
  /** Lists repeat their name, and objects have one pair per member. */
  readonly explode: boolean;
  /** Except those that would end the value. */
  readonly allowReserved?: boolean;
}

export type EncodeText = (text: string) => string;

/** As in RFC 3986. */
export const encodeStrictly: EncodeText = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percent);

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

const encodeUnreserved: EncodeText = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%(?:3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, decodeURIComponent);

export const encoderFor = ({ allowReserved }: StyledName): EncodeText =>
  allowReserved === true ? encodeUnreserved : encodeStrictly;

/** Styles are only one level deep. */
export const memberText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const presentMembers = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, member]) => isPresent(member));

const presentItems = (value: readonly unknown[]): readonly unknown[] => value.filter(isPresent);

const delimiters: Partial<Record<ParameterStyle, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
  tabDelimited: "%09",
};

/** Already encoded; none for an empty list or object. */
export const toPairs = (value: unknown, styled: StyledName, comma = ","): readonly string[] => {
  const { name, style, explode } = styled;
  const encode = encoderFor(styled);
  const pair = (key: string, text: unknown): string => `${encodeStrictly(key)}=${encode(memberText(text))}`;
  if (!isPresent(value)) return [];
  if (style === "deepObject") return deepPairs(name, value, pair);
  const delimiter = delimiters[style] ?? comma;
  const joined = (texts: readonly unknown[]): readonly string[] =>
    texts.length === 0
      ? []
      : [`${encodeStrictly(name)}=${texts.map((text) => encode(memberText(text))).join(delimiter)}`];
  if (Array.isArray(value)) {
    return explode ? presentItems(value).map((item) => pair(name, item)) : joined(presentItems(value));
  }
  if (typeof value !== "object") return [pair(name, value)];
  return explode
    ? presentMembers(value as object).map(([key, member]) => pair(key, member))
    : joined(presentMembers(value as object).flat());
};

/** At any depth; list items are numbered from 0. */
const deepPairs = (
  name: string,
  value: unknown,
  pair: (key: string, value: unknown) => string,
): readonly string[] => {
  if (typeof value !== "object" || value === null) return isPresent(value) ? [pair(name, value)] : [];
  return Object.entries(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member, pair));
};

export const toStyledText = (value: unknown, styled: StyledName, encode: EncodeText): string => {
  const { name, style, explode } = styled;
  const written = (each: unknown): string => encode(memberText(each));
  if (style === "label") {
    const parts = toParts(value, explode, written);
    return `.${parts.join(explode ? "." : ",")}`;
  }
  if (style !== "matrix") return toParts(value, explode, written).join(",");
  const key = encode(name);
  if (!explode || typeof value !== "object" || value === null)
    return `;${key}=${toParts(value, false, written).join(",")}`;
  return Array.isArray(value)
    ? presentItems(value)
        .map((item) => `;${key}=${written(item)}`)
        .join("")
    : toParts(value, true, written)
        .map((part) => `;${part}`)
        .join("");
};

const toParts = (value: unknown, explode: boolean, written: (each: unknown) => string): readonly string[] => {
  if (Array.isArray(value)) return presentItems(value).map(written);
  if (typeof value !== "object" || value === null) return [written(value)];
  const pairs = presentMembers(value);
  return explode
    ? pairs.map(([key, member]) => `${written(key)}=${written(member)}`)
    : pairs.flat().map(written);
};
