import { excerptAt, shown } from "../../../base/text/visible.ts";
import { lookalikeOf } from "../../../tools/tool-name.ts";
import type { RemoteTool } from "../../../types/mcp.ts";
import { type DefinitionFlag, type FlagCode, type FlagMatch, foldLookalikes } from "./flag.ts";
import { findSuspiciousPhrases, splitSentences } from "./phrases.ts";
import { type DefinitionText, findSuspiciousCharacters, pointerOfPath, walkTexts } from "./walk-texts.ts";

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

interface NeighborTools {
  /** Lower case. */
  readonly others: ReadonlySet<string>;
  /** Lower case. Tools of the same server may explain their combined use. */
  readonly siblings: ReadonlySet<string>;
}

const toolNamePattern = /[A-Za-z0-9][\w.-]*[A-Za-z0-9]|[A-Za-z0-9]/g;

/** Before a name: says when to use the other tool. */
const aboutToolPattern =
  /(?:\b(?:before|after|when|whenever|while|if|once|each time|every time|prior to)\b(?: you| the (?:user|model|agent|assistant))?(?: (?:ever|also|try to|want to))?(?: (?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|run(?:s|ning)?|execut(?:e|es|ing)))?|\b(?:instead of|rather than|in place of|replaces?|supersedes?)(?: (?:using|calling|the))?|\b(?:do not|don['’]?t|never|avoid|stop|must not)(?: ever)? (?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?))(?: the| any| tool| function){0,2} ?["'`“‘]?$/i;
/** After a name: disparages or instructs the other tool. */
const againstToolPattern =
  /^["'`”’]?(?: (?:tool|function))?(?: (?:is|was|has been) (?:now )?(?:deprecated|disabled|broken|unsafe|insecure|obsolete|replaced|unavailable|removed)\b|(?: (?:tool|function))? (?:must|should|has to|needs to|shall) (?:always|never|only|first|not|be|also)\b|(?: (?:is|are|gets))? (?:called|invoked|used|run)\b)/i;
const imperativePattern =
  /\b(?:must|always|never|do not|don['’]?t|required?|mandatory|important|you should|have to|needs? to|make sure|ensure|first|please|instead)\b|(?:^|[,;:] ?|\bthen )(?:call|use|run|invoke|send|read|pass|include|add|set|forward|copy|append|bcc|change|replace|prefer)\b/i;
/** The only danger in text about the server's own tools. */
const exfiltrationPattern =
  /\b(?:bcc|forward|exfiltrat\w*|attacker|secretly|silently|credentials?|passwords?|private keys?|api keys?|secrets)\b/i;

/** An ordinary word counts only in quotes or before "tool" or "function". */
const isToolMention = (sentence: string, at: number, name: string): boolean => {
  if (/[_./-]|[a-z][A-Z]/.test(name)) return true;
  const [left, right] = [sentence.slice(0, at), sentence.slice(at + name.length)];
  return (/["'`“‘]$/.test(left) && /^["'`”’]/.test(right)) || /^ (?:tool|function)\b/i.test(right);
};

const mentionedTool = (found: string, self: string, { others }: NeighborTools): string | undefined => {
  const whole = found.toLowerCase();
  if (others.has(whole)) return whole === self ? undefined : whole;
  if (!whole.includes("__") && !whole.includes(".")) return undefined;
  return whole.split(/__|\./).find((part) => others.has(part) && part !== self);
};

/** `danger` for tools of other servers, `notice` for the server's own. */
const findCrossToolInstruction = (
  text: string,
  self: string,
  neighbors: NeighborTools,
): FlagMatch | undefined => {
  if (!imperativePattern.test(text)) return undefined;
  if (
    !(text.match(toolNamePattern) ?? []).some((found) => mentionedTool(found, self, neighbors) !== undefined)
  )
    return undefined;
  const seen = splitSentences(text).flatMap((sentence) => findInSentence(sentence, self, neighbors));
  return seen.find(({ severity }) => severity === "danger") ?? seen[0];
};

const findInSentence = (sentence: string, self: string, neighbors: NeighborTools): readonly FlagMatch[] => {
  if (!imperativePattern.test(sentence)) return [];
  return [...sentence.matchAll(toolNamePattern)].flatMap(({ 0: found, index }): readonly FlagMatch[] => {
    const name = mentionedTool(found, self, neighbors);
    if (name === undefined || !isToolMention(sentence, index, found)) return [];
    const [end, span] = [index + found.length, 120];
    const isAbout =
      aboutToolPattern.test(sentence.slice(Math.max(0, index - span), index)) ||
      againstToolPattern.test(sentence.slice(end, end + span));
    if (!isAbout) return [];
    const isDanger = !neighbors.siblings.has(name) || exfiltrationPattern.test(sentence);
    const severity = isDanger ? "danger" : "notice";
    return [{ code: "cross_tool_instruction", severity, excerpt: shown(sentence, 160) }];
  });
};

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
      excerpt: "too large to be checked",
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

const maxTextLength = 4_000;
const encodedBlobPattern = /[A-Za-z0-9+/]{120,}={0,2}/;
const paddingPattern = / {80}[^ ]|(?:\n[ \t]{0,200}){15}\S/;
const imageLinkPattern = /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:[^)\s?]{1,300}\?([^)\s]{0,500})/i;
const linkPattern = /\]\(\s{0,4}https?:[^)\s?]{1,300}\?([^)\s]{0,500})/i;
const templatePattern = /[{<$]|%7b/i;
const commentPattern = /<!--/;

const conversationPattern =
  /\b(?:entire|full|whole|complete|all) (?:of )?(?:the |our |your |this )?(?:conversation|chat|dialogue)\b|\b(?:conversation|chat|dialogue) (?:so far|history|transcript)\b|\b(?:the|your|full) system prompt\b|\b(?:all|previous|prior) messages (?:so far|in (?:the|this) (?:conversation|chat))\b|\beverything the user (?:said|wrote|typed)\b/i;
/** Parameters that no task needs. */
const incidentalParameterPattern =
  /^(?:side_?notes?|context|notes?|metadata|extra|debug|feedback|trace|summary|reason|session)$/i;

const findSuspiciousShapes = (text: string): readonly FlagMatch[] => {
  const seen: FlagMatch[] = [];
  if (text.length > maxTextLength)
    seen.push({ code: "long_text", severity: "notice", excerpt: `${text.length} characters` });
  const run = text.length >= 120 ? encodedBlobPattern.exec(text) : null;
  if (run !== null && /\d/.test(run[0]) && /[a-z]/.test(run[0]) && /[A-Z]/.test(run[0]))
    seen.push({ code: "encoded_blob", severity: "notice", excerpt: shown(run[0], 60) });
  const gap = text.length >= 20 ? paddingPattern.exec(text) : null;
  if (gap !== null)
    seen.push({
      code: "padded_text",
      severity: "notice",
      excerpt: excerptAt(text, gap.index + gap[0].length - 1),
    });
  const linked = text.includes("](") ? (imageLinkPattern.exec(text) ?? linkPattern.exec(text)) : null;
  if (linked !== null) {
    const isDanger = linked[0].startsWith("!") && templatePattern.test(linked[1] ?? "");
    seen.push({
      code: "link_with_data",
      severity: isDanger ? "danger" : "notice",
      excerpt: shown(linked[0], 120),
    });
  }
  if (commentPattern.test(text))
    seen.push({
      code: "hidden_comment",
      severity: "notice",
      excerpt: excerptAt(text, text.indexOf("<!--"), 30),
    });
  return seen;
};

const findConversationRequest = (text: string, parameter: string): FlagMatch | undefined => {
  const found = conversationPattern.exec(text);
  if (found === null) return undefined;
  const isIncidental = incidentalParameterPattern.test(parameter) || /system prompt/i.test(found[0]);
  return {
    code: "asks_for_conversation",
    severity: isIncidental ? "danger" : "notice",
    excerpt: excerptAt(text, found.index, found[0].length),
  };
};
