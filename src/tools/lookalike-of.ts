/** Compatibility forms are folded by Unicode normalization. */
const asciiLookalikes = new Map<string, string>([
  ...lookalikePairs("аеорсухіјѕһԁԛԝвкмнтԍ", "aeopcyxijshdqwbkmhtg"),
  ...lookalikePairs("АВЕКМНОРСТУХІЈЅԌԚԜ", "ABEKMHOPCTYXIJSGQW"),
  ...lookalikePairs("αονρικτυχ", "aovpiktux"),
  ...lookalikePairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
  ...lookalikePairs("‐‑‒–—−", "------"),
]);

function lookalikePairs(foreign: string, ascii: string): [string, string][] {
  return [...foreign].map((character, index) => [character, ascii[index] as string]);
}

export const lookalikeOf = (character: string): string | undefined => {
  if (character.charCodeAt(0) < 128) return undefined;
  const known = asciiLookalikes.get(character);
  if (known !== undefined) return known;
  const folded = character.normalize("NFKD").replace(/\p{M}/gu, "");
  return /^[A-Za-z0-9_-]$/.test(folded) ? folded : undefined;
};
