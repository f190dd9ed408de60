import { shown } from "../../../base/text/visible.ts";
import type { FlagMatch } from "./flag.ts";
import { splitSentences } from "./phrases.ts";

export interface NeighborTools {
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
export const findCrossToolInstruction = (
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
