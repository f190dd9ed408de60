import { shown } from "../../../base/text/visible.ts";
import { lookalikeOf } from "../../../tools/lookalike-of.ts";
import type { RemoteTool } from "../../../types/mcp.ts";
import { findCrossToolInstruction, type NeighborTools } from "./cross-tool.ts";
import type { DefinitionFlag, FlagCode, FlagMatch } from "./flag.ts";
import { foldLookalikes } from "./fold.ts";
import { findSuspiciousPhrases } from "./phrases.ts";
import { findConversationRequest, findSuspiciousShapes } from "./shapes.ts";
import { findSuspiciousCharacters } from "./suspicious-characters.ts";
import { type DefinitionText, pointerOfPath, walkTexts } from "./walk-texts.ts";

const maxFlags = 50;
const minInstructionLength = 8;

/** Suspicious only in combination. */
const combinedCodes: ReadonlySet<FlagCode> = new Set<FlagCode>([
  "hides_from_user",
  "instruction_markup",
  "reads_secrets",
  "asks_for_secrets",
  "asks_for_conversation",
]);

const toLowerCaseSet = (names: Iterable<string>): ReadonlySet<string> =>
  new Set(Array.from(names, (name) => name.toLowerCase()));

export const toNeighborTools = (
  others: Iterable<string>,
  siblings: Iterable<string> = [],
): NeighborTools => ({
  others: toLowerCaseSet(others),
  siblings: toLowerCaseSet(siblings),
});

/** Accented letters are legitimate. */
const hasConfusableLetter = (name: string): boolean =>
  [...name].some(
    (letter) =>
      lookalikeOf(letter) !== undefined &&
      (!/\p{Script=Latin}/u.test(letter) || letter.normalize("NFKC") !== letter),
  );

const findKeyFlags = ({ text, parameter }: DefinitionText): readonly FlagMatch[] => {
  const isMixed = parameter !== undefined && hasConfusableLetter(text) && /[A-Za-z]/.test(text);
  const lookalikeMatch: readonly FlagMatch[] = isMixed
    ? [{ code: "look_alike_parameter", severity: "notice", excerpt: shown(text) }]
    : [];
  return [...findSuspiciousCharacters(text), ...lookalikeMatch];
};

const findTextFlags = (
  found: DefinitionText,
  self: string,
  neighbors: NeighborTools,
): readonly FlagMatch[] => {
  const { text, parameter } = found;
  const characters = findSuspiciousCharacters(text);
  if (found.isMachineReadable || text.length < minInstructionLength) return characters;
  const normalized = foldLookalikes(text);
  const aside = parameter === undefined ? undefined : findConversationRequest(normalized, parameter);
  const cross = findCrossToolInstruction(normalized, self, neighbors);
  return [
    ...characters,
    ...findSuspiciousPhrases(normalized),
    ...findSuspiciousShapes(text),
    ...(aside === undefined ? [] : [aside]),
    ...(cross === undefined ? [] : [cross]),
  ];
};

export const findFlagsAmong = (tool: RemoteTool, neighbors: NeighborTools): readonly DefinitionFlag[] => {
  const flags: DefinitionFlag[] = [];
  const self = String(tool.name).toLowerCase();
  const isComplete = walkTexts(tool, (found) => {
    const isName = !found.isKey && found.place.before === undefined && found.place.step === "name";
    const lookalikeMatch: readonly FlagMatch[] =
      isName && hasConfusableLetter(found.text)
        ? [{ code: "look_alike_name", severity: "danger", excerpt: shown(found.text) }]
        : [];
    const seen =
      found.isKey || isName
        ? [...findKeyFlags(found), ...lookalikeMatch]
        : findTextFlags(found, self, neighbors);
    for (const { code, severity, excerpt } of seen)
      flags.push({ code, severity, pointer: pointerOfPath(found.place), excerpt });
  });
  if (!isComplete)
    flags.push({
      code: "unsearchable",
      severity: "danger",
      pointer: "",
      excerpt: "too large to be looked through",
    });
  const withCombination = new Set(flags.map(({ code }) => code).filter((code) => combinedCodes.has(code)));
  const raised =
    withCombination.size < 2
      ? flags
      : flags.map((flag) => (combinedCodes.has(flag.code) ? { ...flag, severity: "danger" as const } : flag));
  const worstFirst = raised.toSorted(
    (one, other) => Number(other.severity === "danger") - Number(one.severity === "danger"),
  );
  return Object.freeze(worstFirst.slice(0, maxFlags));
};

/** Never throws. */
export const findFlags = (
  tool: RemoteTool,
  others: Iterable<string>,
  siblings: Iterable<string> = [],
): readonly DefinitionFlag[] => findFlagsAmong(tool, toNeighborTools(others, siblings));
