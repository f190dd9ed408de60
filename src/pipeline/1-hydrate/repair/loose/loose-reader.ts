import { maxDepthOf } from "../../../../base/json/json-problem.ts";
import { isForbiddenKey } from "../../../../base/json/json-value.ts";
import type { PlainNode } from "../../../../base/schema/plain/plain-schema.ts";
import { type RepairContext, refuseRepair } from "../repair-context.ts";
import { sameJson } from "../same-json.ts";
import {
  type CommentPlace,
  commentEnd,
  isEscapedWhitespace,
  jsonSpaceEnd,
  nonJsonSpaceEnd,
} from "./loose-space.ts";
import { isQuote, readLooseString } from "./loose-string.ts";
import { type LooseToken, readToken, tokenEnd } from "./loose-token.ts";

export interface LooseMode {
  readonly allowsBareText: boolean;
  readonly isDecoded: boolean;
}

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}_$]/u.test(character);

/** Unknown keys with other characters indicate a missing quote. */
const plainKeyPattern = /^[\p{L}\p{N}_$@#.][\p{L}\p{N}_$@#./ -]*$/u;

const noNames: ReadonlySet<string> = new Set();

/** Reads almost-JSON. Records every deviation, completes nothing, and refuses anything ambiguous. */
export class LooseReader {
  readonly #text: string;
  readonly #repairing: RepairContext;
  readonly #mode: LooseMode;
  readonly #path: (string | number)[] = [];
  readonly #quotes = new Set<string>('"');
  #names = noNames;
  #at: number;
  #depth = 0;
  #escapes = 0;
  #backslashes = 0;
  #form: LooseToken["form"] = "json";

  constructor(text: string, at: number, repairing: RepairContext, mode: LooseMode) {
    this.#text = text;
    this.#at = at;
    this.#repairing = repairing;
    this.#mode = mode;
  }

  get end(): number {
    return this.#at;
  }

  get hasOnlyDoubleQuotes(): boolean {
    return this.#quotes.size === 1;
  }

  read(node: PlainNode, path: readonly (string | number)[] = []): unknown {
    this.#path.push(...path);
    const value = this.#value(node);
    // With both, it is unknown which backslashes were meant as escapes.
    if (this.#backslashes > 0 && this.#escapes > 0) refuseRepair("it mixes escapes with bare backslashes");
    return value;
  }

  #value(node: PlainNode): unknown {
    const here = this.#text[this.#at];
    this.#form = "json";
    if (here === "{") return this.#nested(() => this.#object(node));
    if (here === "[") return this.#nested(() => this.#list(node));
    return isQuote(here) ? this.#string() : this.#bare(node);
  }

  #bare(node: PlainNode): unknown {
    const start = this.#at;
    const { places, steps } = this.#repairing;
    this.#at = tokenEnd(this.#text, start);
    if (this.#at === start) {
      refuseRepair(start === this.#text.length ? "it ends before it is complete" : "a value is missing");
    }
    steps.take(this.#at - start);
    const token = this.#text.slice(start, this.#at);
    const { value, form } = readToken(token, places.kinds(node));
    if (form === "text") {
      if (!this.#mode.allowsBareText) refuseRepair("a value has no quotes");
      refuseDoubtfulBareText(token, this.#names, places.names(places.root));
    }
    if (form === "text" || form === "number") this.#refuseEscapedSpaceBeside(start);
    if (form !== "json") this.#note(token, JSON.stringify(value));
    this.#form = form;
    return value;
  }

  /** In `C:\temp`, the backslash and `t` are not a tab before `emp`. */
  #refuseEscapedSpaceBeside(start: number): void {
    if (this.#text[this.#at] === "\\" || isEscapedWhitespace(this.#text, start - 2)) {
      refuseRepair("a backslash is next to text without quotes");
    }
  }

  #nested<Value>(read: () => Value): Value {
    const { limits } = this.#repairing;
    if (++this.#depth > maxDepthOf(limits)) refuseRepair("it is nested too deeply");
    this.#at++;
    const names = this.#names;
    const value = read();
    this.#names = names;
    this.#form = "json";
    this.#depth--;
    return value;
  }

  #object(node: PlainNode): Record<string, unknown> {
    const { places } = this.#repairing;
    const members: Record<string, unknown> = {};
    const names = places.names(node);
    this.#names = names;
    let isTwice = false;
    let last: string | undefined;
    this.#skip("before a key");
    if (this.#takes(",")) {
      this.#note("{,", "{");
      this.#skip("before a key");
      if (this.#text[this.#at] === "}") refuseRepair("a member is missing");
    }
    while (!this.#takes("}")) {
      const key = this.#key();
      this.#skip("nowhere");
      if (!this.#takes(":")) refuseRepair("a key has no value");
      this.#skip("nowhere");
      this.#path.push(key);
      const value = this.#value(places.member(node, key));
      if (this.#add(members, key, value)) {
        // Without known keys, a later repetition indicates an overlapping stream.
        if (names.size === 0 && key !== last) refuseRepair("a key is duplicated");
        isTwice = true;
      }
      last = key;
      this.#path.pop();
      this.#names = names;
      this.#separate("}", value);
    }
    if (isTwice && names.size > 0 && !Object.keys(members).every((key) => names.has(key))) {
      refuseRepair("a key is duplicated, and another key is not in the schema");
    }
    return members;
  }

  #list(node: PlainNode): unknown[] {
    const items: unknown[] = [];
    this.#skip("before an item");
    while (!this.#takes("]")) {
      this.#path.push(items.length);
      const item = this.#value(this.#repairing.places.item(node, items.length));
      items.push(item);
      this.#path.pop();
      this.#separate("]", item);
    }
    return items;
  }

  #separate(end: "}" | "]", before: unknown): void {
    const start = this.#at;
    this.#skip(this.#form === "text" ? "nowhere" : "behind a value");
    if (this.#text[this.#at] === end) return;
    if (this.#takes(",")) {
      this.#skip(end === "}" ? "before a key" : "before an item");
      const next = this.#text[this.#at];
      if (this.#form === "text" && !isQuote(next) && next !== "{" && next !== "[") {
        refuseRepair("a text has no quotes, and its end is not certain");
      }
      if (next === end) this.#note(`,${end}`, end);
      return;
    }
    if (this.#at === this.#text.length) refuseRepair("it ends before it is complete");
    if (end === "]" || !this.#isNextKey(before, this.#at > start)) refuseRepair("two values are adjacent");
    this.#note(this.#text.slice(start, this.#at + 1), ', "');
  }

  /** After a string, the quote of a key could belong to the string. */
  #isNextKey(before: unknown, isSpaced: boolean): boolean {
    const isText = typeof before === "string";
    if (this.#text[this.#at] !== '"' || this.#form === "text" || this.#form === "number") return false;
    if (isText && before.trimEnd().endsWith(",")) return false;
    const [key, ...rest] = this.#text.slice(this.#at + 1, this.#at + 200).split('"', 2);
    if (rest.length === 0) return false;
    return this.#names.size > 0 ? this.#names.has(key!) : isLetter(key![0]) && (isSpaced || !isText);
  }

  #key(): string {
    const start = this.#at;
    if (isQuote(this.#text[start])) {
      const key = this.#string();
      if (this.#names.has(key)) return key;
      return plainKeyPattern.test(key) ? key : refuseRepair("a key has characters that keys do not have");
    }
    if (!isLetter(this.#text[start])) {
      refuseRepair(start < this.#text.length ? "a key is missing" : "it ends before it is complete");
    }
    let end = start + 1;
    while (end < this.#text.length && /[\p{L}\p{N}_$-]/u.test(this.#text[end]!)) end++;
    this.#repairing.steps.take(end - start);
    const key = this.#text.slice(start, end);
    this.#at = end;
    this.#refuseEscapedSpaceBeside(start);
    if (this.#takes('"') && this.#names.size > 0 && !this.#names.has(key)) {
      refuseRepair("a quote is in an invalid place");
    }
    this.#note(this.#text.slice(start, this.#at), JSON.stringify(key));
    return key;
  }

  #string(): string {
    const start = this.#at;
    const { value, end, isStrict, escapes, backslashes } = readLooseString(
      this.#text,
      start,
      this.#mode.isDecoded,
    );
    this.#repairing.steps.take(end - start);
    this.#at = end;
    this.#escapes += escapes;
    this.#backslashes += backslashes;
    this.#quotes.add(this.#text[start]!).add(this.#text[end - 1]!);
    if (!isStrict)
      this.#note(this.#text.slice(start, Math.min(end, start + 100)), JSON.stringify(value.slice(0, 100)));
    return value;
  }

  /** True if the key already exists with the same value. */
  #add(members: Record<string, unknown>, key: string, value: unknown): boolean {
    if (isForbiddenKey(key, value)) refuseRepair("a key is never accepted");
    if (!Object.hasOwn(members, key)) {
      members[key] = value;
      return false;
    }
    if (!sameJson(members[key], value, this.#repairing.steps))
      refuseRepair("a key is duplicated with two values");
    this.#note(`${JSON.stringify(key)} twice`, "once");
    return true;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(place: CommentPlace): void {
    const first = this.#at;
    for (;;) {
      const start = this.#at;
      this.#at = jsonSpaceEnd(this.#text, start);
      const odd = nonJsonSpaceEnd(this.#text, this.#at);
      const end = odd > this.#at ? odd : commentEnd(this.#text, this.#at, place);
      this.#repairing.steps.take(end - start + 1);
      if (end === this.#at) return;
      if (odd === this.#at) this.#refuseData(end, place === "behind a value" && this.#at === first);
      if (this.#text[this.#at] === "\\") this.#escapes++;
      this.#note(this.#text.slice(this.#at, Math.min(end, this.#at + 100)), " ");
      this.#at = end;
    }
  }

  #refuseData(end: number, isGlued: boolean): void {
    if (isGlued) refuseRepair("a comment directly follows a value");
    const comment = this.#text.slice(this.#at, end);
    const isClosing = /["“”„]|['‘’]\s*[:,}\]]/.test(comment);
    if (isClosing || [...this.#quotes].some((quote) => comment.includes(quote))) {
      refuseRepair("a comment contains a part of a string");
    }
    const label = /^[^\p{L}_$]{0,20}([\p{L}\p{N}_$-]{1,80})\s{0,20}:/u.exec(comment)?.[1];
    if (label !== undefined && this.#names.has(label)) refuseRepair("a comment contains a member");
  }

  #note(from: string, to: string): void {
    this.#repairing.changes.add("text", this.#path, from, to);
  }
}

const singleWordPattern = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.:/@-]*(?<![:.-])$/u;

const typeNames: ReadonlySet<string> = new Set(
  "string str text char integer int number float double decimal boolean bool object dict array list any unknown".split(
    " ",
  ),
);

const isCodeReference = (token: string): boolean =>
  /^(?:self|this|process|os|sys|window|document|globalThis)\./.test(token) ||
  token.startsWith("...") ||
  /^[A-Z][A-Z\d_]+$/.test(token);

/** The word could be a member name, a type, a variable or a placeholder. */
const refuseDoubtfulBareText = (token: string, ...names: readonly ReadonlySet<string>[]): void => {
  if (token.length > 400 || !singleWordPattern.test(token) || !/[\p{L}\p{N}]/u.test(token)) {
    refuseRepair("a text has no quotes, and its end is not certain");
  }
  const label = token.split(":", 1)[0]!;
  const isName = names.some((each) => each.has(token) || each.has(label));
  if (isName || typeNames.has(token.toLowerCase()) || isCodeReference(token)) {
    refuseRepair("a word without quotes is ambiguous");
  }
};
