import { hashText } from "../base/json/canonical-json.ts";
import { ToolDefinitionError } from "../types/errors.ts";

const maxToolNameLength = 64;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const nameRule = `A name must have 1 to ${maxToolNameLength} characters of A-Z, a-z, 0-9, "_" and "-", and begin with a letter or a digit.`;

/** Special names of JavaScript objects and promises. */
const reservedNames = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "then",
  "toJSON",
]);

export const checkToolName = (name: string): void => {
  const why = nameProblem(name);
  if (why === undefined) return;
  const suggestion = suggest(name);
  throw new ToolDefinitionError(
    "refused_name",
    `The tool name ${quoteName(name)} is refused: ${why}. ${nameRule}${suggestion === undefined ? "" : ` Try "${suggestion}".`}`,
  );
};

const nameProblem = (name: unknown): string | undefined => {
  if (typeof name !== "string") return `it is ${name === null ? "null" : typeof name}, not a string`;
  if (name === "") return "it is empty";
  if (reservedNames.has(name)) return "it is reserved by JavaScript";
  if (namePattern.test(name)) return undefined;
  const foreign = [...name].findIndex((character) => !/[A-Za-z0-9_-]/.test(character));
  if (foreign >= 0) return describe([...name][foreign] as string, foreign);
  if (name.length > maxToolNameLength) return `it has ${name.length} characters`;
  return `it begins with "${name[0]}"`;
};

const describe = (character: string, index: number): string => {
  const code = `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;
  if (character === "/") return `character ${index + 1} is "/", which separates a namespace from a tool`;
  const lookalike = lookalikeOf(character);
  const like = lookalike === undefined ? "" : `, which looks like "${lookalike}"`;
  return `character ${index + 1} is ${/[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}" (${code})` : code}${like}`;
};

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

/** Untrusted text without invisible characters. */
const quoteName = (name: unknown): string =>
  typeof name === "string"
    ? JSON.stringify(name.slice(0, 80)).replace(/[\p{C}\p{Z}]/gu, " ")
    : String(typeof name);

const suggest = (name: unknown): string | undefined => {
  if (typeof name !== "string") return undefined;
  const ascii = [...name].map((character) => lookalikeOf(character) ?? character).join("");
  const repaired = ascii
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[_-]+|_+$/g, "")
    .slice(0, maxToolNameLength);
  if (reservedNames.has(repaired)) return `${repaired}_tool`;
  return namePattern.test(repaired) ? repaired : undefined;
};

/** Equal for names that look alike: case, "-" and "_", 0 and O, and 1, l, I and i are folded. */
export const confusableKey = (name: string): string =>
  name.toLowerCase().replace(/[_-]+/g, "_").replace(/^_|_$/g, "").replaceAll("0", "o").replace(/[1i]/g, "l");

const hashDigits = 16;

/**
 * The mapping is injective: plain segments contain no "__", joined ones no "___", and all other keys get
 * "___" and a hash.
 */
export const toWireName = (key: string): string => {
  const segments = key.split("/");
  const joined = segments.join("__");
  const plain = segments.length === 1 ? isPlainSegment(key) : segments.every(isCleanSegment);
  if (plain && joined.length <= maxToolNameLength) return joined;
  const hash = hashText(key).slice(0, hashDigits);
  const head = joined.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, maxToolNameLength - hashDigits - 3);
  return `${head}___${hash}`;
};

/** A full name and its wire name. */
export const spellingsOf = (name: string): readonly string[] => {
  const other = name.includes("/")
    ? toWireName(name)
    : name.includes("___")
      ? name
      : name.replaceAll("__", "/");
  return other === name ? [name] : [name, other];
};

const isPlainSegment = (segment: string): boolean =>
  /^[A-Za-z0-9_-]+$/.test(segment) && !segment.includes("__");

const isCleanSegment = (segment: string): boolean =>
  isPlainSegment(segment) && !segment.startsWith("_") && !segment.endsWith("_");
