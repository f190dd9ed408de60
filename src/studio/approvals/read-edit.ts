import { isObject } from "../../json/is-object.ts";
import { toPointer } from "../../json/pointer.ts";
import { mask } from "../../json/secrets/span.ts";

type Path = readonly (string | number)[];

/** Where a masked value stands, by JSON pointer. */
export const maskedPlaces = (value: unknown, path: Path = []): readonly string[] => {
  if (typeof value === "string") return value.includes(mask) ? [toPointer(path)] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => maskedPlaces(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => maskedPlaces(member, [...path, name]));
};

/**
 * An edit with the exact text in each place where it still has the mask that its form began with. Nothing where the
 * exact text is not known: then the mask would be sent to the tool.
 */
export const unmasked = (
  edit: unknown,
  shown: unknown,
  exact: unknown,
): { readonly value: unknown } | undefined => {
  if (typeof edit === "string") {
    if (!edit.includes(mask)) return { value: edit };
    return edit === shown && typeof exact === "string" ? { value: exact } : undefined;
  }
  if (Array.isArray(edit)) {
    const items = edit.map((item, i) => unmasked(item, at(shown, i), at(exact, i)));
    return items.every((item) => item !== undefined) ? { value: items.map(({ value }) => value) } : undefined;
  }
  if (!isObject(edit)) return { value: edit };
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(edit)) {
    const made = unmasked(member, at(shown, name), at(exact, name));
    if (made === undefined) return undefined;
    members.push([name, made.value]);
  }
  return { value: Object.fromEntries(members) };
};

const at = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;
