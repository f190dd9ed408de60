import { type JsonProblem, quoteShort, textProblem } from "../json-problem.ts";
import { type JsonLimits, maxDepthOf, maxLengthOf } from "../limits.ts";
import { numberToken, stringToken, type TokenEnd, wordToken } from "./token.ts";

interface Frame {
  /** Undefined for an array. */
  readonly keys: Set<string> | undefined;
  step: string | number;
}

/** Slower and more exact than `readJson`; linear and without recursion. */
export const findProblem = (text: string, limits?: JsonLimits): JsonProblem | undefined => {
  const maxLength = maxLengthOf(limits);
  if (text.length > maxLength) {
    const what = `The text has ${text.length} characters; at most ${maxLength} are read`;
    return textProblem(text, maxLength, [], what);
  }
  return new TextProblemFinder(text, maxDepthOf(limits)).find();
};

class TextProblemFinder {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #open: Frame[] = [];
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  find(): JsonProblem | undefined {
    this.#skipSpace();
    if (this.#at === this.#text.length) return this.#problem("The text is empty; write one JSON value");
    let problem = this.#value();
    while (problem === undefined && this.#open.length > 0) problem = this.#next(this.#open.at(-1)!);
    if (problem !== undefined) return problem;
    this.#skipSpace();
    if (this.#at === this.#text.length) return undefined;
    return this.#problem(
      `The JSON value is complete; send nothing after it, but the text continues with ${this.#found()}`,
    );
  }

  #next(frame: Frame): JsonProblem | undefined {
    const isFirst = frame.step === -1;
    const end = frame.keys === undefined ? "]" : "}";
    this.#skipSpace();
    if (this.#here() === end) {
      this.#at++;
      this.#open.pop();
      return undefined;
    }
    if (!isFirst) {
      if (this.#here() !== ",") return this.#problem(`Expected "," or "${end}" but found ${this.#found()}`);
      this.#at++;
      this.#skipSpace();
      if (this.#here() === end) return this.#problem(`Remove the comma before "${end}"`);
    }
    if (frame.keys === undefined) {
      frame.step = (frame.step as number) + 1;
      return this.#value();
    }
    return this.#key(frame, frame.keys) ?? this.#value();
  }

  #key(frame: Frame, keys: Set<string>): JsonProblem | undefined {
    const start = this.#at;
    if (this.#here() !== '"') {
      const first = keys.size === 0 ? ' or "}"' : "";
      return this.#problem(`Expected a key in double quotes${first} but found ${this.#found()}`);
    }
    const problem = this.#take(stringToken(this.#text, start));
    if (problem !== undefined) return problem;
    const key = JSON.parse(this.#text.slice(start, this.#at)) as string;
    frame.step = key;
    const refusal = this.#refusal(key, keys);
    if (refusal !== undefined) return this.#problem(refusal, start);
    keys.add(key);
    this.#skipSpace();
    if (this.#here() !== ":") {
      return this.#problem(`Expected ":" after the key ${quoteShort(key)} but found ${this.#found()}`);
    }
    this.#at++;
    return undefined;
  }

  #refusal(key: string, keys: Set<string>): string | undefined {
    if (keys.has(key)) return `The key ${quoteShort(key)} is duplicated in one object; keep one of them`;
    if (key === "__proto__") return 'The key "__proto__" is never accepted; remove it';
    if (key !== "prototype") return undefined;
    const parent = this.#open.at(-2);
    if (parent?.keys === undefined || parent.step !== "constructor") return undefined;
    return 'The key "prototype" inside "constructor" is never accepted; remove it';
  }

  #value(): JsonProblem | undefined {
    this.#skipSpace();
    const here = this.#here();
    if (here === "{" || here === "[") {
      if (this.#open.length >= this.#maxDepth) {
        return this.#problem(`Arrays and objects are nested deeper than ${this.#maxDepth} levels`);
      }
      this.#at++;
      this.#open.push({ keys: here === "{" ? new Set() : undefined, step: -1 });
      return undefined;
    }
    if (here === '"') return this.#take(stringToken(this.#text, this.#at));
    if (here === "-" || (here >= "0" && here <= "9")) return this.#take(numberToken(this.#text, this.#at));
    if (/[A-Za-z_$]/.test(here)) return this.#take(wordToken(this.#text, this.#at));
    const advice = here === "+" || here === "." ? "; a number starts with a digit or a minus sign" : "";
    return this.#problem(`Expected a value but found ${this.#found()}${advice}`);
  }

  #take(token: TokenEnd): JsonProblem | undefined {
    if ("fault" in token) return this.#problem(token.fault, token.at);
    this.#at = token.end;
    return undefined;
  }

  #here(): string {
    return this.#text[this.#at] ?? "";
  }

  #skipSpace(): void {
    let here = this.#here();
    while (here === " " || here === "\n" || here === "\t" || here === "\r") {
      this.#at++;
      here = this.#here();
    }
  }

  #found(): string {
    const here = this.#here();
    if (here === "") return "the end of the text";
    if (here === '"') return "a double quote";
    if (here === "'") return "a single quote; JSON strings use double quotes";
    if (here === "\uFEFF") return "a byte order mark; remove it";
    if (here === "`") return "a backtick; send bare JSON without a code fence";
    if (here === "/" || here === "#") return `${quoteShort(here)}; JSON has no comments`;
    if (/[“”„«»‘’]/.test(here)) return `${quoteShort(here)}; use the straight double quote`;
    return quoteShort(String.fromCodePoint(this.#text.codePointAt(this.#at)!));
  }

  #problem(what: string, at = this.#at): JsonProblem {
    const path = this.#open.map((frame) => frame.step).filter((step) => step !== -1);
    return textProblem(this.#text, at, path, what);
  }
}
