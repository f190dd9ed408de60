/** Letters of other scripts that are drawn like ASCII ones. Compatibility forms are folded by Unicode itself. */
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

/** The ASCII character that this one is easily taken for, if there is one. */
export const lookalikeOf = (character: string): string | undefined => {
  if (character.charCodeAt(0) < 128) return undefined;
  const known = asciiLookalikes.get(character);
  if (known !== undefined) return known;
  const folded = character.normalize("NFKD").replace(/\p{M}/gu, "");
  return /^[A-Za-z0-9_-]$/.test(folded) ? folded : undefined;
};
