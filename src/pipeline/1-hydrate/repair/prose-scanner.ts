import { foldName } from "./compare-key-names.ts";
import { type RepairContext, refuseRepair } from "./repair-context.ts";

const isTagLetter = (character: string | undefined): boolean =>
  character !== undefined && /[A-Za-z_/ ]/.test(character);

const hasOpenQuote = (words: string): boolean => {
  let isOpen = false;
  for (let at = words.indexOf('"'); at >= 0; at = words.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
};

/** Words before arguments that are not tool names. */
const argumentLabels: ReadonlySet<string> = new Set(
  (
    "args arguments parameters params kwargs input inputs data json tool tools toolcall toolcalls tooluse " +
    "toolinput toolargs toolarguments toolcallbegin toolcallargumentbegin function functions functioncall " +
    "functionarguments calls call invoke action actioninput pythontag imstart assistant"
  ).split(" "),
);

/** Followed by a tool name in any case. */
const toolNamePatterns: readonly RegExp[] = [
  /\bfunctions\.([\w-]{1,80})/g,
  /<(?:function|tool|invoke|call)(?: +name)? *= *["']?([\w.-]{1,80})/gi,
  /\[TOOL_CALLS\]\s*([\w.-]{1,80})/g,
  /tool▁sep｜>\s*([\w.-]{1,80})/g,
  /^[ \t*]*action[ \t*]*:[ \t*]*([\w.-]{1,80})/gim,
];

/** Followed by a tool name if it looks like one. */
const possibleToolNamePatterns: readonly RegExp[] = [
  /[<[]([\w.-]{1,80})[>\]]/g,
  /\b(?:tool|function|name|tool_name|function_name)["'“”]? ?[:=] ?["'“”`]?([\w.-]{1,80})/gi,
];

const functionCallPattern = /([\w.-]{1,80})( ?)\(\s*$/;
const adjacentNamePattern = /([\w.-]{1,80}?)(?::\d+)?$/;
const lastWordPattern = /([\w.-]{1,80})(?:[\s`:]|json)*$/;

const looksLikeName = (text: string): boolean => /[a-z\d][_.][a-z\d]|[a-z][A-Z]/.test(text);

const isSameTool = (name: string, tool: string | undefined): boolean => {
  if (tool === undefined) return false;
  const fold = foldName(name.replace(/^(?:functions|default_api|tools)\./, ""));
  return fold === foldName(tool) || fold === foldName(tool.slice(tool.lastIndexOf(".") + 1));
};

const refuseOtherTool = (before: string, tool: string | undefined): void => {
  const isOther = (name: string | undefined): boolean =>
    name !== undefined && !argumentLabels.has(foldName(name)) && !isSameTool(name, tool);
  const mayBeOther = (name: string | undefined): boolean =>
    name !== undefined && looksLikeName(name) && isOther(name);
  const names = (patterns: readonly RegExp[]): (string | undefined)[] =>
    patterns.flatMap((pattern) => [...before.matchAll(pattern)].map(([, name]) => name));
  const end = before.slice(-200);
  const call = functionCallPattern.exec(end);
  const isOtherCall = call?.[2] === "" ? isOther(call[1]) : mayBeOther(call?.[1]);
  if (
    isOtherCall ||
    isOther(adjacentNamePattern.exec(end)?.[1]) ||
    mayBeOther(lastWordPattern.exec(end)?.[1]) ||
    names(toolNamePatterns).some(isOther) ||
    names(possibleToolNamePatterns).some(mayBeOther)
  ) {
    refuseRepair("it follows the name of another tool");
  }
};

/**
 * Refuses text around objects that could belong to the arguments, or that suggests another tool or no call.
 */
export class ProseScanner {
  readonly #repairing: RepairContext;
  #fences = 0;

  constructor(repairing: RepairContext) {
    this.#repairing = repairing;
  }

  /** Index of the first object, or the text length. */
  objectStart(text: string): number {
    let words = "";
    const end = this.#walk(text, 0, (from, to) => {
      words += `${text.slice(from, to)} `;
    });
    words = words.slice(0, -1);
    refuseHiddenObject(words);
    if (hasOpenQuote(words.endsWith('"') ? words.slice(0, -1) : words))
      refuseRepair("a quote is never closed");
    this.#refuseMeaning(words);
    refuseOtherTool(words, this.#repairing.tool);
    return end;
  }

  /** Index of the next object, or the text length. */
  objectBehind(text: string, start: number): number {
    let words = "";
    const end = this.#walk(text, start, (from, to) => {
      if (to < text.length && text[to] !== "{") refuseRepair("a thought follows");
      words = text.slice(from, to);
    });
    refuseThought(words);
    if (hasOpenQuote(words)) refuseRepair("a quote is never closed");
    this.#refuseMeaning(words);
    return end;
  }

  #refuseMeaning(words: string): void {
    refuseOutsideMember(words, this.#repairing);
    refuseDoubtfulWords(words);
  }

  #walk(text: string, start: number, found: (from: number, to: number) => void): number {
    let from = start;
    let at = start;
    for (; at < text.length; at++) {
      const here = text[at]!;
      this.#repairing.steps.take(1);
      if (here === "{") break;
      if (here === "}" || here === "]") refuseRepair("a bracket is closed outside of the object");
      if (here === "`") at = this.#fenceEnd(text, at);
      if (here !== "[" && here !== "<") continue;
      const end = thoughtEnd(text, at, this.#repairing);
      if (end > at) {
        found(from, at);
        from = end;
        at = end - 1;
      } else if (here === "[") at = this.#tagEnd(text, at);
    }
    found(from, at);
    return at;
  }

  #tagEnd(text: string, at: number): number {
    let end = at + 1;
    while (end - at < 40 && isTagLetter(text[end])) end++;
    const inside = text.slice(at + 1, end);
    this.#repairing.steps.take(end - at);
    const isTag = text[end] === "]" && /[A-Za-z]/.test(inside) && !/true|false|null|none/i.test(inside);
    return isTag ? end : refuseRepair("a list is outside the object");
  }

  #fenceEnd(text: string, at: number): number {
    let end = at;
    while (text[end + 1] === "`") end++;
    this.#repairing.steps.take(end - at + 1);
    if (end - at >= 2 && ++this.#fences > 2) refuseRepair("it contains more than one fenced block");
    return end;
  }
}

const wordPattern = /[\p{L}\p{N}_$-]+/gu;
const quotedKeyPattern = /["“”][ \t\r\n]*:|\w['’][ \t\r\n]*:/;
/**
 * Text that assigns a value to the preceding word, such as `path: x`, `path=x`, `<path>`, `"path"` or `path
 * 5`.
 */
const valueAfterPattern = /^["'“”‘’*`_)]*[ \t]*(?:[:=<>/"'“”‘’]|(?:true|false|null|none|-?\d)\b)/i;
const markBeforePattern = /[:=<>/"'“”‘’]$/;

/** Text around the object could contain a member of it. */
const refuseOutsideMember = (words: string, { places, steps }: RepairContext): void => {
  steps.take(4 * words.length);
  if (quotedKeyPattern.test(words)) refuseRepair("a member is outside the object");
  const names = places.foldedNames(places.root);
  if (names.size === 0) return;
  let before: { readonly end: number; readonly folds: readonly string[] } = { end: -2, folds: [] };
  for (const { 0: found, index } of words.matchAll(wordPattern)) {
    const fold = found.length > 64 ? "" : foldName(found);
    const isNext = before.end + 1 === index && /[ .]/.test(words[before.end]!);
    const folds = [fold, ...(isNext ? before.folds.slice(0, 2).map((earlier) => earlier + fold) : [])];
    before = { end: index + found.length, folds };
    if (fold === "" || !folds.some((each) => names.has(each))) continue;
    const isMember =
      found.startsWith("-") ||
      markBeforePattern.test(words.slice(Math.max(0, index - 1), index)) ||
      valueAfterPattern.test(words.slice(before.end, before.end + 40));
    if (isMember) refuseRepair("a member is outside the object");
  }
};

const thoughtTags = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad";
const thoughtOpening = new RegExp(`[<[](?:${thoughtTags})\\b[^<>{}[\\]]{0,40}[>\\]]`, "iy");
const thoughtClosing = new RegExp(`[<[]/(?:${thoughtTags})\\s*[>\\]]`, "gi");

const matchesAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

const thoughtEnd = (text: string, at: number, { steps }: RepairContext): number => {
  if (!matchesAt(thoughtOpening, text, at)) return at;
  const from = thoughtOpening.lastIndex;
  if (!matchesAt(thoughtClosing, text, from))
    refuseRepair("it is in a thinking section that is never closed");
  const end = thoughtClosing.lastIndex;
  steps.take(end - at);
  for (let inside = from; inside < end; inside++) {
    if ((text[inside] === "<" || text[inside] === "[") && matchesAt(thoughtOpening, text, inside)) {
      refuseRepair("it is in a thinking section that is never closed");
    }
  }
  return end;
};

/** A closing reasoning tag after the object means that the object was inside it. */
const refuseThought = (words: string): void => {
  if (matchesAt(thoughtClosing, words, 0)) refuseRepair("it is in a thinking section");
};

const refuseHiddenObject = (before: string): void => {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const channel = before.lastIndexOf("<|channel|>");
  const isHidden =
    before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
    before.lastIndexOf("/*") > before.lastIndexOf("*/") ||
    /(?<!:)\/\/|^\s*#/.test(line) ||
    /(?<!~)~~\s*$/.test(line) ||
    (channel >= 0 && before.startsWith("analysis", channel + 11));
  if (isHidden) refuseRepair("it is in a comment");
};

const doubtfulWordsPattern =
  /\b(?:not|cannot|never|wrong|incorrect|invalid|error|failed|instead|ignore|avoid|examples?|e\.g|sample|template|placeholder)\b|n['’]t\b/i;

const refuseDoubtfulWords = (words: string): void => {
  if (doubtfulWordsPattern.test(words))
    refuseRepair("the surrounding text does not make clear whether it is meant");
};
