import { type Repairing, refuse } from "./repairing.ts";

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\w$-]/.test(character);

const isTagLetter = (character: string | undefined): boolean =>
  character !== undefined && /[A-Za-z_/ ]/.test(character);

/**
 * The words around arguments, from one object to the next. Refuses whatever in them could be a part of the
 * arguments: a bracket, a quoted key, a property of the tool with a value behind it.
 */
export class Prose {
  readonly #repairing: Repairing;
  #fences = 0;

  constructor(repairing: Repairing) {
    this.#repairing = repairing;
  }

  /** Where the next object opens, or the length of the text. */
  objectFrom(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const here = text[at]!;
      this.#repairing.steps.take(1);
      if (here === "{") return at;
      if (here === "}" || here === "]") refuse("a bracket is closed outside of the object");
      if (here === "[") at = this.#tagEnd(text, at);
      else if (here === "`") at = this.#fenceEnd(text, at);
      else if (here === ":" || here === "=") this.#refuseMember(text, start, at);
      else if (`"“”`.includes(here)) this.#refuseKey(text, at + 1);
    }
    return text.length;
  }

  /** Words in brackets, such as a `[TOOL_CALLS]` that leaked, are no list. */
  #tagEnd(text: string, at: number): number {
    let end = at + 1;
    while (end - at < 40 && isTagLetter(text[end])) end++;
    const inside = text.slice(at + 1, end);
    this.#repairing.steps.take(end - at);
    const isTag = text[end] === "]" && /[A-Za-z]/.test(inside) && !/true|false|null|none/i.test(inside);
    return isTag ? end : refuse("a list stands outside of the object");
  }

  #fenceEnd(text: string, at: number): number {
    let end = at;
    while (text[end + 1] === "`") end++;
    this.#repairing.steps.take(end - at + 1);
    if (end - at >= 2 && ++this.#fences > 2) refuse("it holds more than one fenced block");
    return end;
  }

  #refuseKey(text: string, from: number): void {
    let at = from;
    while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
    this.#repairing.steps.take(at - from + 1);
    if (text[at] === ":") refuse("a member stands outside of the object");
  }

  #refuseMember(text: string, start: number, colon: number): void {
    let end = colon;
    while (end > start && text[end - 1] === " ") end--;
    let from = end;
    while (from > start && isWord(text[from - 1])) from--;
    this.#repairing.steps.take(colon - from);
    const { places } = this.#repairing;
    const isMember = from < end && places.names(places.root).has(text.slice(from, end));
    if (isMember) refuse("a member stands outside of the object");
  }
}
