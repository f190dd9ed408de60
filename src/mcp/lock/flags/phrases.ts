import { shown } from "../../../base/text/visible.ts";
import type { FlagCode, FlagMatch, FlagSeverity } from "./flag.ts";

interface PhraseRule {
  readonly code: FlagCode;
  readonly severity: FlagSeverity;
  readonly is: (sentence: string) => boolean;
}

const allOf =
  (...patterns: readonly RegExp[]) =>
  (sentence: string): boolean =>
    patterns.every((pattern) => pattern.test(sentence));

const personPattern = "(?:the |any |a |your |end[- ])*(?:user|human|operator|person|customer)s?(?!['’]s)\\b";
const negationPattern =
  /\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot)\b/i;
const tellPattern = new RegExp(`\\b(?:tell|inform|notify|alert|warn) ${personPattern}`, "i");
const mentionPattern = new RegExp(
  `\\b(?:mention|reveal|disclose|divulge)\\b[^.!?]{0,60}\\bto ${personPattern}`,
  "i",
);
const withoutTellingPattern = new RegExp(
  `\\bwithout (?:telling|informing|notifying|alerting|warning) ${personPattern}`,
  "i",
);
const hideFromPattern = new RegExp(`\\b(?:hide|conceal|keep)\\b[^.!?]{0,40}\\bfrom ${personPattern}`, "i");
const showPattern = new RegExp(`\\b(?:show|display|expose|output)\\b[^.!?]{0,60}\\bto ${personPattern}`, "i");

const overridePattern =
  /\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|of|these|those|every) ){0,4}(?:previous|prior|above|earlier|preceding|former|other|existing|system)(?: \w+)? (?:instructions?|prompts?|messages|rules|guidelines|directions|commands|directives)\b/i;
const chatMarkupPattern = /<\|[a-z_]{2,24}\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>/i;
const instructionTagPattern =
  /<\/?(?:important|system|instructions?|secret|critical|hidden|admin|assistant|priority)(?: [^<>]{0,40})?>/i;

const secretFilePattern =
  /(?:^|[\s"'`(/\\~])\.(?:ssh|aws|gnupg|netrc|npmrc|pgpass|kube|docker|cursor|claude|codeium)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b|\bmcp\.json\b|\bclaude_desktop_config\.json\b|(?:^|[\s"'`(/])\.env\b/i;
const readVerbPattern =
  /\b(?:read|open|cat|fetch|access|copy|upload|send|attach|extract|retrieve|get|load|include|pass)\b/i;
/** Words that address the reader instead of describing the tool. */
const addressesReaderPattern =
  /\b(?:you|must|please|always|otherwise|important|pass|first)\b|\bbefore (?:you|using|calling|running)\b/i;

const passVerbPattern =
  /\b(?:pass|include|provide|put|add|append|send|insert|attach|forward|embed|place|write)\b/i;
const secretNounPattern =
  /\b(?:api[ _-]?keys?|passwords?|credentials|private keys?|access tokens?|secrets|ssh keys?|environment variables|(?:its|their|the) (?:full |whole |entire )?contents?)\b/i;
const asParameterPattern =
  /\b(?:as|in|into|to|via|through) (?:the |a |this )?(?:["'`]\w+["'`]|\w+ (?:parameter|argument|field|param)\b)/i;

const phraseRules: readonly PhraseRule[] = [
  {
    code: "hides_from_user",
    severity: "danger",
    is: (sentence) =>
      negationPattern.test(sentence)
        ? tellPattern.test(sentence) || mentionPattern.test(sentence)
        : withoutTellingPattern.test(sentence) || hideFromPattern.test(sentence),
  },
  { code: "hides_from_user", severity: "notice", is: allOf(negationPattern, showPattern) },
  { code: "overrides_instructions", severity: "danger", is: allOf(overridePattern) },
  { code: "instruction_markup", severity: "danger", is: allOf(chatMarkupPattern) },
  { code: "instruction_markup", severity: "notice", is: allOf(instructionTagPattern) },
  {
    code: "reads_secrets",
    severity: "danger",
    is: allOf(secretFilePattern, readVerbPattern, addressesReaderPattern),
  },
  { code: "reads_secrets", severity: "notice", is: allOf(secretFilePattern) },
  {
    code: "asks_for_secrets",
    severity: "notice",
    is: allOf(passVerbPattern, secretNounPattern, asParameterPattern),
  },
];

const quickCheckPattern =
  /<|\[\/?INST|\b(?:user|human|operator|person|customer)s?\b|\b(?:ignore|disregard|forget|override|bypass)\b|\.(?:ssh|aws|gnupg|netrc|npmrc|pgpass|kube|docker|cursor|claude|codeium|env|json)\b|\bid_|\/etc\/|\b(?:keys?|passwords?|credentials|tokens?|secrets|variables|contents?)\b/i;

/** A capital letter after a full stop starts a sentence even without a space. */
const sentenceEndPattern = /(?<=[.!?;])\s+|\n+|(?<=[\p{Ll}\p{N})\]"'’”`][.!?;])(?=["'‘“(`]?\p{Lu})/u;

export const splitSentences = (text: string): readonly string[] =>
  text
    .split(sentenceEndPattern)
    .map((sentence) => sentence.slice(0, 2_000).replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");

/** Keeps the most severe match per code. */
export const findSuspiciousPhrases = (text: string): readonly FlagMatch[] => {
  if (!quickCheckPattern.test(text)) return [];
  const seen = new Map<FlagCode, FlagMatch>();
  for (const sentence of splitSentences(text)) {
    for (const { code, severity, is } of phraseRules) {
      const known = seen.get(code);
      if (known !== undefined && (known.severity === "danger" || severity === "notice")) continue;
      if (is(sentence)) seen.set(code, { code, severity, excerpt: shown(sentence, 120) });
    }
  }
  return [...seen.values()];
};
