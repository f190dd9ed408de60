import { lookAlikeOf } from "../../../tool/look-alike.ts";
import type { RemoteTool } from "../../../words/mcp.ts";
import { characterSightings } from "./characters.ts";
import { crossToolSighting, type Neighbors } from "./cross-tool.ts";
import type { Flag, FlagCode, Sighting } from "./flag.ts";
import { folded } from "./fold.ts";
import { phraseSightings } from "./phrases.ts";
import { parameterSighting, shapeSightings } from "./shapes.ts";
import { eachText, type FoundText, pointerTo } from "./texts-of.ts";
import { shown } from "./visible.ts";

const most = 50;
/** No instruction is shorter. */
const shortest = 8;

/** Each of these may be innocent; two of them in one definition are not. */
const together: ReadonlySet<FlagCode> = new Set<FlagCode>([
  "hides_from_user",
  "instruction_markup",
  "reads_secrets",
  "asks_for_secrets",
  "asks_for_conversation",
]);

const lowered = (names: Iterable<string>): ReadonlySet<string> =>
  new Set(Array.from(names, (name) => name.toLowerCase()));

/** Of the tools that a definition may speak of; made once for a whole list. */
export const neighborsOf = (others: Iterable<string>, siblings: Iterable<string> = []): Neighbors => ({
  others: lowered(others),
  siblings: lowered(siblings),
});

/** Letters with accents are letters of their own; those of other scripts and compatibility forms pretend. */
const hasTwin = (name: string): boolean =>
  [...name].some(
    (letter) =>
      lookAlikeOf(letter) !== undefined &&
      (!/\p{Script=Latin}/u.test(letter) || letter.normalize("NFKC") !== letter),
  );

const keySightings = ({ text, parameter }: FoundText): readonly Sighting[] => {
  const isMixed = parameter !== undefined && hasTwin(text) && /[A-Za-z]/.test(text);
  const twin: readonly Sighting[] = isMixed
    ? [{ code: "look_alike_parameter", severity: "notice", excerpt: shown(text) }]
    : [];
  return [...characterSightings(text), ...twin];
};

const textSightings = (found: FoundText, self: string, neighbors: Neighbors): readonly Sighting[] => {
  const { text, parameter } = found;
  const characters = characterSightings(text);
  if (found.isMachine || text.length < shortest) return characters;
  const read = folded(text);
  const aside = parameter === undefined ? undefined : parameterSighting(read, parameter);
  const cross = crossToolSighting(read, self, neighbors);
  return [
    ...characters,
    ...phraseSightings(read),
    ...shapeSightings(text),
    ...(aside === undefined ? [] : [aside]),
    ...(cross === undefined ? [] : [cross]),
  ];
};

/** As `flagsOf`, for many tools of one list. */
export const flagsAmong = (tool: RemoteTool, neighbors: Neighbors): readonly Flag[] => {
  const flags: Flag[] = [];
  const self = String(tool.name).toLowerCase();
  const isWhole = eachText(tool, (found) => {
    const isName = !found.isKey && found.place.before === undefined && found.place.step === "name";
    const twin: readonly Sighting[] =
      isName && hasTwin(found.text)
        ? [{ code: "look_alike_name", severity: "danger", excerpt: shown(found.text) }]
        : [];
    const seen =
      found.isKey || isName ? [...keySightings(found), ...twin] : textSightings(found, self, neighbors);
    for (const { code, severity, excerpt } of seen)
      flags.push({ code, severity, pointer: pointerTo(found.place), excerpt });
  });
  if (!isWhole)
    flags.push({
      code: "unsearchable",
      severity: "danger",
      pointer: "",
      excerpt: "too large to be looked through",
    });
  const joined = new Set(flags.map(({ code }) => code).filter((code) => together.has(code)));
  const raised =
    joined.size < 2
      ? flags
      : flags.map((flag) => (together.has(flag.code) ? { ...flag, severity: "danger" as const } : flag));
  const worstFirst = raised.toSorted(
    (one, other) => Number(other.severity === "danger") - Number(one.severity === "danger"),
  );
  return Object.freeze(worstFirst.slice(0, most));
};

/**
 * What in a definition tries to be more than a definition. `others` are the names of all tools; `siblings` those of
 * the same server, which may explain how they are used together. Never throws.
 */
export const flagsOf = (
  tool: RemoteTool,
  others: Iterable<string>,
  siblings: Iterable<string> = [],
): readonly Flag[] => flagsAmong(tool, neighborsOf(others, siblings));
