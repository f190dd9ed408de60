import { quoteShort } from "../../base/json/json-problem.ts";
import { maxDiagnostics } from "./characters.ts";
import {
  type Shape,
  type Signature,
  type SignatureParameter,
  type SignatureType,
  simpleTypeByName,
  unknownTypeHint,
} from "./signature-types.ts";

export interface SignatureProblem {
  readonly code: string;
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

export type ClassicReading =
  | { readonly ok: true; readonly signature: Signature }
  | { readonly ok: false; readonly complaints: readonly SignatureProblem[] };

const maxNesting = 64;

class SignatureSyntaxError extends Error {}

/** Reads `(name: Text, age: Maybe Int) --> IO Text`. */
export const readClassicSignature = (text: string): ClassicReading => {
  const reader = new SignatureReader(classicTokens(text));
  try {
    const signature = reader.signature();
    if (reader.complaints.length === 0) return { ok: true, signature };
  } catch (stop) {
    if (!(stop instanceof SignatureSyntaxError)) throw stop;
  }
  return { ok: false, complaints: reader.complaints };
};

export const readClassicType = (
  text: string,
): { readonly shape?: Shape; readonly complaint?: SignatureProblem } => {
  const reader = new SignatureReader(classicTokens(text));
  try {
    const shape = reader.item(0);
    reader.end();
    const [complaint] = reader.complaints;
    return complaint === undefined ? { shape } : { complaint };
  } catch (stop) {
    if (!(stop instanceof SignatureSyntaxError)) throw stop;
    return { complaint: reader.complaints[0]! };
  }
};

const syntax = "signature-syntax";
const example = "A signature is (name: Text, age: Maybe Int) --> IO Text.";

class SignatureReader {
  readonly complaints: SignatureProblem[] = [];
  private readonly tokens: readonly ClassicToken[];
  private next = 0;

  constructor(tokens: readonly ClassicToken[]) {
    this.tokens = tokens;
  }

  signature(): Signature {
    this.take("(", "A signature must begin with its parameters in parentheses");
    const parameters = this.fields(")", 0);
    this.arrow();
    const { result, effect } = this.result();
    this.end();
    return { form: "classic", parameters, result, effect };
  }

  /** `IO` is allowed in parentheses around the whole result, but not deeper. */
  private result(): Pick<Signature, "result" | "effect"> {
    const inner = this.tokens[this.next + 1];
    if (this.peek().kind === "(" && inner?.kind === "name" && inner.text.toLowerCase() === "io") {
      this.next++;
      const result = this.result();
      this.take(")", "Parentheses must contain one type");
      return result;
    }
    const effect = this.word("io");
    if (this.peek().kind === "end")
      this.stop("missing-result", this.peek(), "The signature has no result type", resultHint);
    return { result: this.item(0), effect };
  }

  end(): void {
    const token = this.peek();
    if (token.kind === "end") return;
    this.stop(
      syntax,
      token,
      `Unexpected ${tokenText(token)} after the end of the signature`,
      `The signature ends with its result type. ${example}`,
    );
  }

  /** `()` is null. */
  item(depth: number): Shape {
    if (depth > maxNesting)
      this.stop(
        "too-deep",
        this.peek(),
        `Types are nested more than ${maxNesting} levels deep`,
        "Describe fewer levels.",
      );
    if (this.word("maybe")) return this.maybe(depth);
    if (!this.accept("(")) return { type: this.type(depth) };
    if (this.accept(")")) return { type: "null" };
    const shape = this.item(depth + 1);
    this.take(")", "Parentheses must contain one type");
    return shape;
  }

  private fields(close: ")" | "}", depth: number): readonly SignatureParameter[] {
    const what = close === ")" ? "parameter" : "field";
    const found: SignatureParameter[] = [];
    if (this.accept(close)) return found;
    const seen = new Set<string>();
    for (;;) {
      const first = this.peek();
      const isNamed = first.kind === "name" && this.tokens[this.next + 1]?.kind === ":";
      if (isNamed) this.next += 2;
      else if (isLoneName(first)) {
        this.next++;
        this.take(":", `The name ${tokenText(first)} must be followed by ":" and a type`);
      }
      const { type, nullable: optional = false } = this.item(depth);
      if (!isNamed) {
        this.complain(
          "unnamed-parameter",
          first,
          `The ${what} ${tokenText(first)} has no name`,
          `Write (text: Text) instead of (Text).`,
        );
      } else if (first.text === "__proto__") {
        this.complain(
          "refused-name",
          first,
          `A ${what} must not be called "__proto__"`,
          "Choose another name.",
        );
      } else if (seen.has(first.text)) {
        this.complain(
          "duplicate-parameter",
          first,
          `The ${what} ${tokenText(first)} occurs twice`,
          "Rename one of the two.",
        );
      }
      seen.add(first.text);
      found.push({ name: first.text, type, optional });
      if (this.accept(close)) return found;
      const comma = this.take(",", `A ${what} must be followed by "," or "${close}"`);
      if (this.peek().kind === close)
        this.stop(syntax, comma, `Unexpected comma after the last ${what}`, "Remove the comma.");
    }
  }

  private type(depth: number): SignatureType {
    const token = this.peek();
    this.next++;
    if (token.kind === "[") {
      const items = this.item(depth + 1);
      this.take("]", "A list must be one type in brackets");
      return { list: items };
    }
    if (token.kind === "{") return { record: this.fields("}", depth + 1) };
    if (token.kind !== "name")
      this.stop(syntax, token, `Expected a type and found ${tokenText(token)}`, example);
    const named = simpleTypeByName(token.text);
    if (named === undefined) {
      this.complain(
        "unknown-type",
        token,
        `The type ${tokenText(token)} is unknown`,
        unknownTypeHint(token.text),
      );
    }
    return named ?? "string";
  }

  private maybe(depth: number): Shape {
    const token = this.peek();
    const { type, nullable } = this.item(depth + 1);
    if (nullable) this.complain(syntax, token, "Maybe is repeated", "Write it once.");
    return type === "null" ? { type } : { type, nullable: true };
  }

  private arrow(): void {
    const token = this.peek();
    if (token.kind === "end") this.stop("missing-result", token, "The signature has no result", resultHint);
    this.take("arrow", "The parameters must be followed by the arrow -->");
  }

  private word(word: string): boolean {
    const token = this.peek();
    const isWord = token.kind === "name" && token.text.toLowerCase() === word;
    if (isWord) this.next++;
    return isWord;
  }

  private peek(): ClassicToken {
    return this.tokens[Math.min(this.next, this.tokens.length - 1)]!;
  }

  private accept(kind: ClassicKind): boolean {
    const found = this.peek().kind === kind;
    if (found) this.next++;
    return found;
  }

  private take(kind: ClassicKind, expected: string): ClassicToken {
    const token = this.peek();
    if (!this.accept(kind)) this.stop(syntax, token, `${expected}, not ${tokenText(token)}`, example);
    return token;
  }

  private complain(code: string, token: ClassicToken, message: string, hint: string): void {
    this.complaints.push({ code, offset: token.offset, message: `${message}.`, hint });
    if (this.complaints.length >= maxDiagnostics) throw new SignatureSyntaxError();
  }

  private stop(code: string, token: ClassicToken, message: string, hint: string): never {
    this.complain(code, token, message, hint);
    throw new SignatureSyntaxError();
  }
}

const isLoneName = ({ kind, text }: ClassicToken): boolean =>
  kind === "name" && text.toLowerCase() !== "maybe" && simpleTypeByName(text) === undefined;

const resultHint = "End it with --> and the type of the result: --> IO Text.";

const tokenText = (token: ClassicToken): string =>
  token.kind === "end" ? "the end" : quoteShort(token.text);

type ClassicKind = "name" | "arrow" | "(" | ")" | "[" | "]" | "{" | "}" | ":" | "," | "odd" | "end";

interface ClassicToken {
  readonly kind: ClassicKind;
  readonly text: string;
  readonly offset: number;
}

const pattern =
  /[ \t\r\n]+|(?<name>[A-Za-z_][0-9A-Za-z_.@-]*)|(?<arrow>-->)|(?<sign>::|[()[\]{}:,])|(?<odd>[-=~<>→⇒]+|[^\s]|\s)/gu;

/** Unknown characters become `odd` tokens; the last token is `end`. */
const classicTokens = (text: string): readonly ClassicToken[] => {
  const tokens: ClassicToken[] = [];
  for (const match of text.matchAll(pattern)) {
    const { name, arrow, sign, odd } = match.groups as Partial<Record<string, string>>;
    const offset = match.index;
    if (name !== undefined) tokens.push({ kind: "name", text: name, offset });
    else if (arrow !== undefined) tokens.push({ kind: "arrow", text: arrow, offset });
    else if (sign !== undefined)
      tokens.push({ kind: sign === "::" ? ":" : (sign as ClassicKind), text: sign, offset });
    else if (odd !== undefined) tokens.push({ kind: "odd", text: odd, offset });
  }
  tokens.push({ kind: "end", text: "", offset: text.trimEnd().length });
  return tokens;
};
