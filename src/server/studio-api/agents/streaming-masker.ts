import type { Redactor } from "../../../base/json/redact.ts";

/** Masks secrets even if they are split between chunks. */
export interface StreamingMasker {
  readonly push: (words: string) => string;
  readonly flush: () => string;
}

/** Such a last word may be the start of a secret. */
const minSecretWordLength = 12;
const secretCharacters = /[\d_=+/.-]/;

export const streamingMasker = (redactor: Redactor, secrets: () => Iterable<string>): StreamingMasker => {
  let buffer = "";
  return {
    push: (words) => {
      buffer += words;
      const cut = Math.min(lastWordStart(buffer), partialSecretStart(buffer, secrets()));
      const masked = redactor.text(buffer.slice(0, cut));
      buffer = buffer.slice(cut);
      return masked;
    },
    flush: () => {
      const masked = redactor.text(buffer);
      buffer = "";
      return masked;
    },
  };
};

const lastWordStart = (text: string): number => {
  const from = text.search(/\S*$/);
  const word = text.slice(from);
  return word.length >= minSecretWordLength || secretCharacters.test(word) ? from : text.length;
};

const partialSecretStart = (text: string, secrets: Iterable<string>): number => {
  let from = text.length;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
      if (!text.endsWith(secret.slice(0, length))) continue;
      from = Math.min(from, text.length - length);
      break;
    }
  }
  return from;
};
