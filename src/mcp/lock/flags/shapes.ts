import { excerptAt, shown } from "../../../base/text/visible.ts";
import type { FlagMatch } from "./flag.ts";

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

export const findSuspiciousShapes = (text: string): readonly FlagMatch[] => {
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

export const findConversationRequest = (text: string, parameter: string): FlagMatch | undefined => {
  const found = conversationPattern.exec(text);
  if (found === null) return undefined;
  const isIncidental = incidentalParameterPattern.test(parameter) || /system prompt/i.test(found[0]);
  return {
    code: "asks_for_conversation",
    severity: isIncidental ? "danger" : "notice",
    excerpt: excerptAt(text, found.index, found[0].length),
  };
};
