import { FormIndex } from "./form-index.ts";
import { isHiding, lowest, mayBeEscaped, readings } from "./reading.ts";
import { formsOf, shortest } from "./secret-forms.ts";
import { maskSpans, type Span } from "./span.ts";

const isLong = (secret: unknown): secret is string =>
  typeof secret === "string" && secret.trim().length >= shortest;

/** An escaped character takes about this many at most. */
const widest = 8;

/** A set of secrets, ready to be looked for. */
export class SecretValues {
  readonly #forms = new Map<string, readonly string[]>();
  #index = new FormIndex(Number.POSITIVE_INFINITY);
  /** The longest form; a text that is cut must be looked through this much further than it is kept. */
  #longest = 0;
  #holdsQuotes = false;

  /** Makes these the secrets. Costs little where most of them are known. */
  hold(secrets: Iterable<unknown>): void {
    const wanted = new Set([...secrets].filter(isLong));
    this.#drop([...this.#forms.keys()].filter((secret) => !wanted.has(secret)));
    for (const secret of wanted) if (!this.#forms.has(secret)) this.#add(secret);
  }

  isSecret(text: string): boolean {
    return this.#forms.has(text);
  }

  /** The first `length` characters with every form of every secret masked, also one that the cut goes through. */
  mask(text: string, length = text.length): string {
    if (this.#forms.size === 0) return text.slice(0, length);
    const spans = this.#index.find(text.slice(0, length + this.#longest));
    const wide = text.slice(0, length + this.#longest * widest);
    // Where no secret has one, an escaped quote or line end can stand beside a secret, but not in it.
    const isEscaped = mayBeEscaped(wide) && (this.#holdsQuotes || isHiding(wide));
    return maskSpans(text, isEscaped ? spans.concat(this.#escapedSpans(wide)) : spans, length);
  }

  #escapedSpans(text: string): readonly Span[] {
    const layers = readings(text);
    return layers.flatMap((layer, depth) =>
      this.#index.find(layer.text).map((span) => lowest(layers, depth, span)),
    );
  }

  #add(secret: string): void {
    const forms = formsOf(secret);
    this.#forms.set(secret, forms);
    this.#holdsQuotes ||= /["'`\\\p{Cc}]/u.test(secret);
    const least = Math.min(...forms.map((form) => form.length));
    this.#longest = Math.max(this.#longest, ...forms.map((form) => form.length));
    const isTooShort = least < this.#index.shortest;
    if (isTooShort) this.#index = new FormIndex(least);
    for (const form of isTooShort ? [...this.#forms.values()].flat() : forms) this.#index.add(form);
  }

  #drop(secrets: readonly string[]): void {
    if (secrets.length === 0) return;
    this.#index.remove(secrets.flatMap((secret) => this.#forms.get(secret) ?? []));
    for (const secret of secrets) this.#forms.delete(secret);
  }
}
