/** `undefined` if added or removed. */
export interface ValueChange {
  readonly pointer: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Lists are compared by index. */
export const changesBetween = (from: unknown, to: unknown, pointer = ""): readonly ValueChange[] => {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObjectOrArray(from) || !isObjectOrArray(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ pointer, from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) =>
    changesBetween(memberAt(from, name), memberAt(to, name), `${pointer}/${escapePointer(name)}`),
  );
};

const isObjectOrArray = (value: unknown): value is object => typeof value === "object" && value !== null;

const memberAt = (group: object, name: string): unknown =>
  Object.hasOwn(group, name) ? (group as Readonly<Record<string, unknown>>)[name] : undefined;

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
