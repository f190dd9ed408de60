import { canonicalJson } from "../../base/json/canonical-json.ts";
import { isObject } from "../../base/json/is-object.ts";
import { toPointer } from "../../base/json/to-pointer.ts";
import { shown } from "../../base/text/visible.ts";

type DifferencePath = readonly (string | number)[];
const collectDifferences = (
  one: unknown,
  other: unknown,
  path: DifferencePath,
  found: string[],
  most: number,
): void => {
  if (found.length > most) return;
  if (isObject(one) && isObject(other)) {
    for (const key of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()) {
      const [left, right] = [
        Object.hasOwn(one, key) ? one[key] : undefined,
        Object.hasOwn(other, key) ? other[key] : undefined,
      ];
      collectDifferences(left, right, [...path, key], found, most);
    }
  } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (let at = 0; at < one.length; at++)
      collectDifferences(one[at], other[at], [...path, at], found, most);
  } else if (one === undefined || other === undefined) {
    if (one !== other) found.push(toPointer(path));
  } else if (canonicalJson(one) !== canonicalJson(other)) found.push(toPointer(path));
};

/** Returns up to `most` + 1 pointers. */
export const findDifferingPointers = (one: unknown, other: unknown, most = 100): readonly string[] => {
  const found: string[] = [];
  collectDifferences(one, other, [], found, most);
  return found;
};

export const toPointersText = (pointers: readonly string[], most = 3): string => {
  const some = pointers.slice(0, most).map((pointer) => shown(pointer, 60));
  const left = pointers.length - some.length;
  return `${some.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
};
