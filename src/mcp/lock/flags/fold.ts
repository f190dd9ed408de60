import { lookAlikeOf } from "../../../tool/look-alike.ts";

const ascii = /^[\t\n\r\x20-\x7e]*$/;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** As a model may read it: without what is not seen, look-alike letters as the ones they look like. */
export const folded = (text: string): string => {
  if (ascii.test(text)) return text;
  let plain = "";
  for (const character of text.replace(unseen, "").normalize("NFKC"))
    plain += lookAlikeOf(character) ?? character;
  return plain;
};
