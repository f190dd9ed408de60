import { lookalikeOf } from "../../../tools/lookalike-of.ts";

const asciiPattern = /^[\t\n\r\x20-\x7e]*$/;
const invisibleCharacters = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Approximates how a model reads the text. */
export const foldLookalikes = (text: string): string => {
  if (asciiPattern.test(text)) return text;
  let plain = "";
  for (const character of text.replace(invisibleCharacters, "").normalize("NFKC"))
    plain += lookalikeOf(character) ?? character;
  return plain;
};
