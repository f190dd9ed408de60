import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../base/json/is-object.ts";
import { redactedMark } from "../../../base/json/secrets/span.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";

type JsonPath = readonly (string | number)[];

export const maskedPointers = (value: unknown, path: JsonPath = []): readonly string[] => {
  if (typeof value === "string") return value.includes(redactedMark) ? [toPointer(path)] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => maskedPointers(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name.includes(redactedMark) ? [toPointer([...path, name])] : maskedPointers(member, [...path, name]),
  );
};

/**
 * Restores masked values that the edit left unchanged. Undefined if an original value is unknown, because the
 * mask or another secret would reach the tool.
 */
export const unmaskEdit = (
  edit: unknown,
  shown: unknown,
  exact: unknown,
): { readonly value: unknown } | undefined => {
  if (maskedPointers(edit).length === 0) return { value: edit };
  // Also covers masked member names.
  if (isDeepStrictEqual(edit, shown)) return exact === undefined ? undefined : { value: exact };
  if (Array.isArray(edit)) return unmaskListEdit(edit, shown, exact);
  if (!isObject(edit)) return undefined;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(edit)) {
    const unmaskedMember = name.includes(redactedMark)
      ? undefined
      : unmaskEdit(member, memberAt(shown, name), memberAt(exact, name));
    if (unmaskedMember === undefined) return undefined;
    members.push([name, unmaskedMember.value]);
  }
  return { value: Object.fromEntries(members) };
};

/** Items may have moved, so a masked item is restored only if all equal shown items had the same value. */
const unmaskListEdit = (
  edit: readonly unknown[],
  shown: unknown,
  exact: unknown,
): { readonly value: unknown } | undefined => {
  if (!Array.isArray(shown) || !Array.isArray(exact)) return undefined;
  const items: unknown[] = [];
  for (const item of edit) {
    if (maskedPointers(item).length === 0) {
      items.push(item);
      continue;
    }
    const alike = exact.filter((_, i) => isDeepStrictEqual(shown[i], item));
    if (alike.length === 0 || !alike.every((each) => isDeepStrictEqual(each, alike[0]))) return undefined;
    items.push(alike[0]);
  }
  return { value: items };
};

const memberAt = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;
