import { decodedLayers, mayBeEscaped, mayHideCharacters, toOriginalSpan } from "./decoded-layers.ts";
import { FormIndex } from "./form-index.ts";
import { headerSecrets } from "./header-secrets.ts";
import { minSecretLength, secretFormsOf } from "./secret-forms.ts";
import { maskSpans, type TextSpan } from "./span.ts";

const isMaskable = (secret: unknown): secret is string =>
  typeof secret === "string" && secret.trim().length >= minSecretLength;

const maxEscapedWidth = 8;

interface SecretForms {
  readonly forms: readonly string[];
  round: number;
}

export class SecretValues {
  readonly #held = new Map<string, SecretForms>();
  #round = 0;
  #index = new FormIndex(Number.POSITIVE_INFINITY);
  /** Text that is cut must be searched this far beyond the cut. */
  #longest = 0;
  #holdsQuotes = false;

  /** Indexes only new secrets. */
  hold(secrets: readonly unknown[]): void {
    this.#round += 1;
    let count = 0;
    for (const secret of secrets.filter(isMaskable).flatMap((one) => [one, ...headerSecrets(one)])) {
      if (!isMaskable(secret)) continue;
      const held = this.#held.get(secret) ?? this.#add(secret);
      if (held.round === this.#round) continue;
      held.round = this.#round;
      count += 1;
    }
    if (count < this.#held.size) this.#dropOthers();
  }

  isSecret(text: string): boolean {
    return this.#held.has(text);
  }

  /** Also masks a secret that crosses the cut at `length`. */
  mask(text: string, length = text.length): string {
    if (this.#held.size === 0) return text.slice(0, length);
    const spans = this.#index.find(text.slice(0, length + this.#longest));
    const wide = text.slice(0, length + this.#longest * maxEscapedWidth);
    // Without quotes in secrets, an escaped quote cannot be inside one.
    const isEscaped = mayBeEscaped(wide) && (this.#holdsQuotes || mayHideCharacters(wide));
    return maskSpans(text, isEscaped ? spans.concat(this.#escapedSpans(wide)) : spans, length);
  }

  #escapedSpans(text: string): readonly TextSpan[] {
    const layers = decodedLayers(text);
    return layers.flatMap((layer, depth) =>
      this.#index.find(layer.text).map((span) => toOriginalSpan(layers, depth, span)),
    );
  }

  #add(secret: string): SecretForms {
    const forms = secretFormsOf(secret);
    const held = { forms, round: 0 };
    this.#held.set(secret, held);
    this.#holdsQuotes ||= /["'`\\\p{Cc}]/u.test(secret);
    const lengths = forms.map((form) => form.length);
    this.#longest = Math.max(this.#longest, ...lengths);
    const least = Math.min(...lengths);
    const isTooShort = least < this.#index.shortest;
    if (isTooShort) this.#index = new FormIndex(least);
    for (const form of isTooShort ? [...this.#held.values()].flatMap((one) => one.forms) : forms)
      this.#index.add(form);
    return held;
  }

  #dropOthers(): void {
    const forms: string[] = [];
    for (const [secret, held] of this.#held) {
      if (held.round === this.#round) continue;
      for (const form of held.forms) forms.push(form);
      this.#held.delete(secret);
    }
    this.#index.remove(forms);
  }
}
