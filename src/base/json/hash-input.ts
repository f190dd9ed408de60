import { hashJson, hashText } from "./hash.ts";
import { stringifyValue } from "./stringify-value.ts";

/** Of arguments as a tool gets them: canonical where they are JSON, else of the text they print as. */
export const hashInput = (input: unknown): string => {
  try {
    return hashJson(input);
  } catch {
    return hashText(stringifyValue(input));
  }
};
