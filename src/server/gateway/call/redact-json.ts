const maxRedactDepth = 512;

const isBase64Member = (key: string, { type, uri }: Readonly<Record<string, unknown>>): boolean =>
  key === "data" ? type === "image" || type === "audio" : key === "blob" && typeof uri === "string";

/** Returns the same value if nothing is masked. Values nested too deep are left out. */
export const redactJson = (value: unknown, redact: (text: string) => string, depth = 0): unknown => {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxRedactDepth) return "[too deep]";
  if (Array.isArray(value)) return redactItems(value, redact, depth);
  return redactMembers(value as Readonly<Record<string, unknown>>, redact, depth);
};

const redactItems = (items: readonly unknown[], redact: (text: string) => string, depth: number): unknown => {
  let copy: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const masked = redactJson(items[i], redact, depth + 1);
    if (masked === items[i]) continue;
    copy ??= [...items];
    copy[i] = masked;
  }
  return copy ?? items;
};

const redactMembers = (
  members: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  depth: number,
): unknown => {
  let isSame = true;
  const entries = Object.keys(members).map((key): readonly [string, unknown] => {
    const member = members[key];
    const masked = isBase64Member(key, members) ? member : redactJson(member, redact, depth + 1);
    const name = redact(key);
    if (masked !== member || name !== key) isSame = false;
    return [name, masked];
  });
  return isSame ? members : Object.fromEntries(entries);
};
