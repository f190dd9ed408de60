/** Letters of other scripts that are drawn like ASCII ones. Compatibility forms are folded by Unicode itself. */
const twins = new Map<string, string>([
  ...pairs("аеорсухіјѕһԁԛԝвкмнтԍ", "aeopcyxijshdqwbkmhtg"),
  ...pairs("АВЕКМНОРСТУХІЈЅԌԚԜ", "ABEKMHOPCTYXIJSGQW"),
  ...pairs("αονρικτυχ", "aovpiktux"),
  ...pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
  ...pairs("‐‑‒–—−", "------"),
]);

function pairs(foreign: string, ascii: string): [string, string][] {
  return [...foreign].map((character, index) => [character, ascii[index] as string]);
}

/** The ASCII character that this one is easily taken for, if there is one. */
export const lookAlikeOf = (character: string): string | undefined => {
  if (character.charCodeAt(0) < 128) return undefined;
  const known = twins.get(character);
  if (known !== undefined) return known;
  const folded = character.normalize("NFKD").replace(/\p{M}/gu, "");
  return /^[A-Za-z0-9_-]$/.test(folded) ? folded : undefined;
};
