import type { FlagCode, Severity, Sighting } from "./flag.ts";
import { shown } from "./visible.ts";

interface Phrase {
  readonly code: FlagCode;
  readonly severity: Severity;
  readonly is: (sentence: string) => boolean;
}

const all =
  (...patterns: readonly RegExp[]) =>
  (sentence: string): boolean =>
    patterns.every((pattern) => pattern.test(sentence));

const someone = "(?:the |any |a |your |end[- ])*(?:user|human|operator|person|customer)s?(?!['’]s)\\b";
const denied = /\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot)\b/i;
const tellsSomeone = new RegExp(`\\b(?:tell|inform|notify|alert|warn) ${someone}`, "i");
const mentions = new RegExp(`\\b(?:mention|reveal|disclose|divulge)\\b[^.!?]{0,60}\\bto ${someone}`, "i");
const withoutTelling = new RegExp(
  `\\bwithout (?:telling|informing|notifying|alerting|warning) ${someone}`,
  "i",
);
const keptFrom = new RegExp(`\\b(?:hide|conceal|keep)\\b[^.!?]{0,40}\\bfrom ${someone}`, "i");
const shows = new RegExp(`\\b(?:show|display|expose|output)\\b[^.!?]{0,60}\\bto ${someone}`, "i");

const overrides =
  /\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|of|these|those|every) ){0,4}(?:previous|prior|above|earlier|preceding|former|other|existing|system)(?: \w+)? (?:instructions?|prompts?|messages|rules|guidelines|directions|commands|directives)\b/i;
const chatMarks = /<\|[a-z_]{2,24}\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>/i;
const markup =
  /<\/?(?:important|system|instructions?|secret|critical|hidden|admin|assistant|priority)(?: [^<>]{0,40})?>/i;

const secretFile =
  /(?:^|[\s"'`(/\\~])\.(?:ssh|aws|gnupg|netrc|npmrc|pgpass|kube|docker|cursor|claude|codeium)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b|\bmcp\.json\b|\bclaude_desktop_config\.json\b|(?:^|[\s"'`(/])\.env\b/i;
const takes =
  /\b(?:read|open|cat|fetch|access|copy|upload|send|attach|extract|retrieve|get|load|include|pass)\b/i;
/** A description says what a tool does; these turn to whoever reads it. */
const addresses =
  /\b(?:you|must|please|always|otherwise|important|pass|first)\b|\bbefore (?:you|using|calling|running)\b/i;

const gives = /\b(?:pass|include|provide|put|add|append|send|insert|attach|forward|embed|place|write)\b/i;
const secretThing =
  /\b(?:api[ _-]?keys?|passwords?|credentials|private keys?|access tokens?|secrets|ssh keys?|environment variables|(?:its|their|the) (?:full |whole |entire )?contents?)\b/i;
const asParameter =
  /\b(?:as|in|into|to|via|through) (?:the |a |this )?(?:["'`]\w+["'`]|\w+ (?:parameter|argument|field|param)\b)/i;

const phrases: readonly Phrase[] = [
  {
    code: "hides_from_user",
    severity: "danger",
    is: (sentence) =>
      denied.test(sentence)
        ? tellsSomeone.test(sentence) || mentions.test(sentence)
        : withoutTelling.test(sentence) || keptFrom.test(sentence),
  },
  { code: "hides_from_user", severity: "notice", is: all(denied, shows) },
  { code: "overrides_instructions", severity: "danger", is: all(overrides) },
  { code: "instruction_markup", severity: "danger", is: all(chatMarks) },
  { code: "instruction_markup", severity: "notice", is: all(markup) },
  { code: "reads_secrets", severity: "danger", is: all(secretFile, takes, addresses) },
  { code: "reads_secrets", severity: "notice", is: all(secretFile) },
  { code: "asks_for_secrets", severity: "notice", is: all(gives, secretThing, asParameter) },
];

/** Without one of these words no phrase can be there; most texts have none. */
const worthALook =
  /<|\[\/?INST|\b(?:user|human|operator|person|customer)s?\b|\b(?:ignore|disregard|forget|override|bypass)\b|\.(?:ssh|aws|gnupg|netrc|npmrc|pgpass|kube|docker|cursor|claude|codeium|env|json)\b|\bid_|\/etc\/|\b(?:keys?|passwords?|credentials|tokens?|secrets|variables|contents?)\b/i;

/** Some authors forget the space after a full stop: a capital after the end of a word begins a sentence all the same. */
const sentenceEnd = /(?<=[.!?;])\s+|\n+|(?<=[\p{Ll}\p{N})\]"'’”`][.!?;])(?=["'‘“(`]?\p{Lu})/u;

/** Sentences of a text, each in one line. Those that no person would write are cut. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .split(sentenceEnd)
    .map((sentence) => sentence.slice(0, 2_000).replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");

/** Words that speak to a model rather than of a tool, the worst of each kind. */
export const phraseSightings = (text: string): readonly Sighting[] => {
  if (!worthALook.test(text)) return [];
  const seen = new Map<FlagCode, Sighting>();
  for (const sentence of sentencesOf(text)) {
    for (const { code, severity, is } of phrases) {
      const known = seen.get(code);
      if (known !== undefined && (known.severity === "danger" || severity === "notice")) continue;
      if (is(sentence)) seen.set(code, { code, severity, excerpt: shown(sentence, 120) });
    }
  }
  return [...seen.values()];
};
