import { readJson } from "../json/read-json.ts";
import { Misuse } from "./misuse.ts";

/** The JSON of an option, read as strictly as what a model writes. */
export const readJsonOption = (name: string, text: string): unknown => {
  const reading = readJson(text);
  if (reading.ok) return reading.value;
  throw new Misuse(`--${name} takes JSON: ${reading.problem.message}`);
};
