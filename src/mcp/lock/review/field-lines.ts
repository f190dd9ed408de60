import { canonicalJson } from "../../../json/canonical-json.ts";
import { visible } from "../flags/visible.ts";

const width = 96;

/** Broken between words, and after sentences, so that one changed sentence is one changed place. Nothing is lost. */
const wrapped = (text: string): readonly string[] =>
  text.split(/(?<=[.!?] )/).flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(/(?<= )(?=[^ ])/)) {
      const last = lines.at(-1);
      if (last === undefined || last.length + word.trimEnd().length > width) lines.push(word);
      else lines[lines.length - 1] = last + word;
    }
    return lines.length === 0 ? [""] : lines;
  });

/** Blanks that nobody would see: at the end, and more than one. The one at the end of a wrapped line stays a blank. */
const withBlanks = (line: string): string =>
  line
    .replace(/\t/g, "→")
    .replace(/ {2,}/g, (run) => "·".repeat(run.length))
    .replace(/ $/, "·");

const textLines = (text: string): readonly string[] =>
  visible(text)
    .split("\n")
    .flatMap((line) => {
      const parts = wrapped(line);
      return parts.map((part, at) => withBlanks(at < parts.length - 1 ? part.replace(/(?<! ) $/, "") : part));
    });

const schemaLines = (value: unknown): readonly string[] =>
  visible(JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)).split("\n");

/** A field of a definition in lines, such that different values have different lines. */
export const fieldLines = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === "string" ? textLines(value) : schemaLines(value);
};
