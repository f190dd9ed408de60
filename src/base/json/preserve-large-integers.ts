const isUnsafeInteger = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);

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
 * For arguments that another library parsed. If an integer may have lost digits, returns JSON text with the
 * number in full, which stage 1 refuses with a reason.
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
