const wrapperKeys: ReadonlySet<string> = new Set(
  "arguments args input inputs params parameters kwargs tool_input tool_args toolInput data".split(" "),
);

const labelKeys: ReadonlySet<string> = new Set(["name", "tool", "function", "type"]);

/** The object may contain nothing else but the tool's name. */
export const unwrapArguments = (
  value: unknown,
  names: ReadonlySet<string>,
  tool: string | undefined,
): { readonly key: string; readonly inner: unknown } | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const members = Object.entries(value);
  if (members.length > 4) return undefined;
  const wrapping = members.filter(([key]) => wrapperKeys.has(key) && !names.has(key));
  if (wrapping.length !== 1) return undefined;
  const [key, inner] = wrapping[0]!;
  const isAlone = members.every(
    ([other, label]) =>
      other === key ||
      (labelKeys.has(other) &&
        !names.has(other) &&
        (label === tool || (other === "type" && label === "function"))),
  );
  if (!isAlone || inner === null || Array.isArray(inner)) return undefined;
  return typeof inner === "object" || typeof inner === "string" ? { key, inner } : undefined;
};
