import { type RepairContext, refuseRepair } from "../repair-context.ts";
import { refuseDoubtfulWords, refuseHiddenObject, refuseThought, thoughtEnd } from "./hidden-text.ts";
import { refuseOtherTool } from "./refuse-other-tool.ts";
import { refuseOutsideMember } from "./refuse-outside-member.ts";

const isTagLetter = (character: string | undefined): boolean =>
  character !== undefined && /[A-Za-z_/ ]/.test(character);

const hasOpenQuote = (words: string): boolean => {
  let isOpen = false;
  for (let at = words.indexOf('"'); at >= 0; at = words.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
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
    return isTag ? end : refuseRepair("a list stands outside of the object");
  }

  #fenceEnd(text: string, at: number): number {
    let end = at;
    while (text[end + 1] === "`") end++;
    this.#repairing.steps.take(end - at + 1);
    if (end - at >= 2 && ++this.#fences > 2) refuseRepair("it holds more than one fenced block");
    return end;
  }
}
