import type { PlainNode } from "../../../define/schema/plain/plain-schema.ts";
import { isForbidden } from "../../../json/forbidden-keys.ts";
import { maxDepthOf } from "../../../json/limits.ts";
import { oddSpaceEnd, plainSpaceEnd } from "./loose-space.ts";
import { isQuote, readLooseString } from "./loose-string.ts";
import { readToken, tokenEnd } from "./loose-token.ts";
import { type Repairing, refuse } from "./repairing.ts";
import { sameJson } from "./same-json.ts";

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}_$]/u.test(character);

/**
 * Reads one object or list that is almost JSON. Every departure from JSON is recorded, nothing that is missing
 * is completed, and whatever could mean two things is refused. One pass; recursion is bounded by the depth limit.
 */
export class LooseReader {
  readonly #text: string;
  readonly #repairing: Repairing;
  readonly #path: (string | number)[] = [];
  /** Whether the schema may turn a token without quotes into text. */
  readonly #allowsBareText: boolean;
  #at: number;
  #depth = 0;
  /** Whether anything stands between the last value and what follows it. */
  #isSpaced = false;

  constructor(text: string, at: number, repairing: Repairing, allowsBareText: boolean) {
    this.#text = text;
    this.#at = at;
    this.#repairing = repairing;
    this.#allowsBareText = allowsBareText;
  }

  /** Where reading stopped. */
  get end(): number {
    return this.#at;
  }

  read(node: PlainNode, path: readonly (string | number)[] = []): unknown {
    this.#path.push(...path);
    return this.#value(node);
  }

  #value(node: PlainNode): unknown {
    const here = this.#text[this.#at];
    if (here === "{") return this.#nested(() => this.#object(node));
    if (here === "[") return this.#nested(() => this.#list(node));
    if (isQuote(here)) return this.#string();
    const start = this.#at;
    this.#at = tokenEnd(this.#text, start);
    if (this.#at === start)
      refuse(here === undefined ? "it ends before it is complete" : "a value is missing");
    this.#repairing.steps.take(this.#at - start);
    const token = this.#text.slice(start, this.#at);
    const accepts = this.#allowsBareText ? this.#repairing.places.kinds(node) : 0;
    const { value, isStrict } = readToken(token, accepts);
    if (!isStrict) this.#note(token, JSON.stringify(value));
    return value;
  }

  #nested(read: () => unknown): unknown {
    const { limits } = this.#repairing;
    if (++this.#depth > maxDepthOf(limits)) refuse("it is nested too deeply");
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(node: PlainNode): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    this.#skip();
    while (!this.#takes("}")) {
      const key = this.#key(node);
      this.#skip();
      if (!this.#takes(":")) refuse("a key has no value");
      this.#skip();
      this.#path.push(key);
      const value = this.#value(this.#repairing.places.member(node, key));
      this.#add(members, key, value);
      this.#path.pop();
      this.#separate("}", () => this.#mayBeNextKey(node, value));
    }
    return members;
  }

  #list(node: PlainNode): unknown[] {
    const items: unknown[] = [];
    this.#skip();
    while (!this.#takes("]")) {
      this.#path.push(items.length);
      items.push(this.#value(this.#repairing.places.item(node, items.length)));
      this.#path.pop();
      this.#separate("]", () => false);
    }
    return items;
  }

  /** Steps over the comma between two members. It may be missing before a key, and one too many before the end. */
  #separate(end: string, mayBeMissing: () => boolean): void {
    const start = this.#at;
    this.#skip();
    if (this.#text[this.#at] === end) return;
    if (this.#takes(",")) {
      this.#skip();
      if (this.#text[this.#at] === end) this.#note(`,${end}`, end);
      return;
    }
    if (this.#at === this.#text.length) refuse("it ends before it is complete");
    this.#isSpaced = this.#at > start;
    if (!mayBeMissing()) refuse("two values stand side by side");
    this.#note(this.#text.slice(start, this.#at + 1), ', "');
  }

  /** After a text a quote may as well belong to it, so that the key has to be one that the schema knows. */
  #mayBeNextKey(node: PlainNode, before: unknown): boolean {
    if (this.#text[this.#at] !== '"') return false;
    if (typeof before !== "string") return true;
    const names = this.#repairing.places.names(node);
    if (names.size === 0) return this.#isSpaced;
    const end = this.#text.indexOf('"', this.#at + 1);
    // A known name is short, and no more of the text than that is looked at.
    return end > 0 && end - this.#at < 200 && names.has(this.#text.slice(this.#at + 1, end));
  }

  #key(node: PlainNode): string {
    if (isQuote(this.#text[this.#at])) {
      const key = this.#string();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break in a key is a quote that is missing
      return /[\u0000-\u001f]/.test(key) ? refuse("a key is never closed") : key;
    }
    const start = this.#at;
    if (!isLetter(this.#text[start])) {
      refuse(start < this.#text.length ? "a key is missing" : "it ends before it is complete");
    }
    let end = start + 1;
    while (end < this.#text.length && /[\p{L}\p{N}_$-]/u.test(this.#text[end]!)) end++;
    this.#repairing.steps.take(end - start);
    const key = this.#text.slice(start, end);
    this.#at = end;
    if (this.#takes('"')) {
      const names = this.#repairing.places.names(node);
      if (names.size > 0 && !names.has(key)) refuse("a quote stands where none can be");
    }
    this.#note(this.#text.slice(start, this.#at), JSON.stringify(key));
    return key;
  }

  #string(): string {
    const start = this.#at;
    const { value, end, isStrict } = readLooseString(this.#text, start);
    this.#repairing.steps.take(end - start);
    this.#at = end;
    if (!isStrict)
      this.#note(this.#text.slice(start, Math.min(end, start + 100)), JSON.stringify(value.slice(0, 100)));
    return value;
  }

  #add(members: Record<string, unknown>, key: string, value: unknown): void {
    if (isForbidden(key, value)) refuse("a key is never accepted");
    if (!Object.hasOwn(members, key)) {
      members[key] = value;
      return;
    }
    if (!sameJson(members[key], value, this.#repairing.steps)) refuse("a key comes twice with two values");
    this.#note(`${JSON.stringify(key)} twice`, "once");
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    for (;;) {
      const start = this.#at;
      this.#at = plainSpaceEnd(this.#text, start);
      const end = oddSpaceEnd(this.#text, this.#at);
      this.#repairing.steps.take(end - start + 1);
      if (end === this.#at) return;
      this.#note(this.#text.slice(this.#at, Math.min(end, this.#at + 100)), " ");
      this.#at = end;
    }
  }

  #note(from: string, to: string): void {
    this.#repairing.changes.add("text", this.#path, from, to);
  }
}
