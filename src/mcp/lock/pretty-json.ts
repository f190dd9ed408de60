/** A whole number that JavaScript cannot count exactly is written with an exponent: strict readers refuse it otherwise. */
const writeNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : JSON.stringify(value);

/** Whatever is not seen is written as an escape: a pull request must show what a model would read. */
const writeString = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) =>
      sign
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );

const block = (open: string, close: string, parts: readonly string[], indent: string): string =>
  parts.length === 0
    ? open + close
    : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;

/** JSON by two spaces; keys keep their order, and members that are `undefined` do not count. */
export const prettyJson = (value: unknown, indent = ""): string => {
  const inner = `${indent}  `;
  if (typeof value === "string") return writeString(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return block(
      "[",
      "]",
      value.map((item) => prettyJson(item, inner)),
      indent,
    );
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const parts = members.map(([key, member]) => `${writeString(key)}: ${prettyJson(member, inner)}`);
  return block("{", "}", parts, indent);
};
