import { createRequire } from "node:module";

type Check = (value: unknown) => boolean;

interface Definition {
  readonly type?: "string" | "number";
  readonly validate: RegExp | ((value: never) => boolean);
}

/** The one expression among them whose time grows with the square of the text. */
const longestUrl = 2_048;

const toCheck = (name: string, definition: Definition): Check => {
  const { validate, type = "string" } = definition;
  const test = validate instanceof RegExp ? (text: never) => validate.test(text) : validate;
  return (value) => {
    if (typeof value !== type) return true;
    if (name === "url" && (value as string).length > longestUrl) return false;
    return test(value as never);
  };
};

const known = new Map<string, Check>();

/** The check of a named format; unknown names promise nothing. Loaded only where formats are asserted. */
export const formatCheck = (name: string): Check | undefined => {
  if (known.size === 0) {
    const { fullFormats } = createRequire(import.meta.url)("ajv-formats/dist/formats.js");
    for (const [each, format] of Object.entries<RegExp | Definition | Definition["validate"] | true>(
      fullFormats,
    )) {
      if (format === true) continue;
      const isBare = typeof format === "function" || format instanceof RegExp;
      known.set(each, toCheck(each, isBare ? { validate: format } : format));
    }
  }
  return known.get(name);
};
