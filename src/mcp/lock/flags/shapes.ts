import type { Sighting } from "./flag.ts";
import { excerptAt, shown } from "./visible.ts";

const long = 4_000;
const blob = /[A-Za-z0-9+/]{120,}={0,2}/;
const padding = / {80}[^ ]|(?:\n[ \t]{0,200}){15}\S/;
const image = /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:[^)\s?]{1,300}\?([^)\s]{0,500})/i;
const link = /\]\(\s{0,4}https?:[^)\s?]{1,300}\?([^)\s]{0,500})/i;
const filledIn = /[{<$]|%7b/i;
const comment = /<!--/;

const conversation =
  /\b(?:entire|full|whole|complete|all) (?:of )?(?:the |our |your |this )?(?:conversation|chat|dialogue)\b|\b(?:conversation|chat|dialogue) (?:so far|history|transcript)\b|\b(?:the|your|full) system prompt\b|\b(?:all|previous|prior) messages (?:so far|in (?:the|this) (?:conversation|chat))\b|\beverything the user (?:said|wrote|typed)\b/i;
/** Parameters that no task needs. */
const aside = /^(?:side_?notes?|context|notes?|metadata|extra|debug|feedback|trace|summary|reason|session)$/i;

/** What is in a text without being words: blobs, emptiness, links that carry something away. */
export const shapeSightings = (text: string): readonly Sighting[] => {
  const seen: Sighting[] = [];
  if (text.length > long)
    seen.push({ code: "long_text", severity: "notice", excerpt: `${text.length} characters` });
  const run = text.length >= 120 ? blob.exec(text) : null;
  if (run !== null && /\d/.test(run[0]) && /[a-z]/.test(run[0]) && /[A-Z]/.test(run[0]))
    seen.push({ code: "encoded_blob", severity: "notice", excerpt: shown(run[0], 60) });
  const gap = text.length >= 20 ? padding.exec(text) : null;
  if (gap !== null)
    seen.push({
      code: "padded_text",
      severity: "notice",
      excerpt: excerptAt(text, gap.index + gap[0].length - 1),
    });
  const linked = text.includes("](") ? (image.exec(text) ?? link.exec(text)) : null;
  if (linked !== null) {
    const isDanger = linked[0].startsWith("!") && filledIn.test(linked[1] ?? "");
    seen.push({
      code: "link_with_data",
      severity: isDanger ? "danger" : "notice",
      excerpt: shown(linked[0], 120),
    });
  }
  if (comment.test(text))
    seen.push({
      code: "hidden_comment",
      severity: "notice",
      excerpt: excerptAt(text, text.indexOf("<!--"), 30),
    });
  return seen;
};

/** A parameter through which more leaves than a call needs. */
export const parameterSighting = (text: string, parameter: string): Sighting | undefined => {
  const found = conversation.exec(text);
  if (found === null) return undefined;
  const isAside = aside.test(parameter) || /system prompt/i.test(found[0]);
  return {
    code: "asks_for_conversation",
    severity: isAside ? "danger" : "notice",
    excerpt: excerptAt(text, found.index, found[0].length),
  };
};
