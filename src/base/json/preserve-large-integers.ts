const isUnsafeInteger = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether a parsed value has a whole number beyond 2^53-1, at whatever depth. Values that hold themselves have none. */
const hasUnsafeInteger = (root: object): boolean => {
  const seen = new Set<object>([root]);
  for (const each of seen) {
    for (const member of Object.values(each)) {
      if (isUnsafeInteger(member)) return true;
      if (typeof member === "object" && member !== null) seen.add(member);
    }
  }
  return false;
};

const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/**
 * Arguments that somebody else has parsed: the value itself, or its JSON text if it has a whole number beyond 2^53-1,
 * whose digits may be others than were sent. Such a number is written out in full, so that stage 1 refuses the text
 * and says why. What cannot be looked at stays what it is.
 */
export const preserveLargeIntegers = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  try {
    if (!hasUnsafeInteger(value)) return value;
    return JSON.stringify(value, (_, member) =>
      isUnsafeInteger(member) ? rawJson(String(BigInt(member))) : member,
    );
  } catch {
    return value;
  }
};
