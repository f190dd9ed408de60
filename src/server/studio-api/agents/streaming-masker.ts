import type { Redactor } from "../../../base/json/redact.ts";

/** Words of a model as they come, with secrets masked that come in pieces. */
export interface StreamingMasker {
  /** What of all that came so far may be told now. */
  readonly push: (words: string) => string;
  /** The rest, once nothing more belongs to it. */
  readonly flush: () => string;
}

/** A last word that is as long as this, or has something in it that keys have, may be the beginning of a secret. */
const minSecretWordLength = 12;
const secretCharacters = /[\d_=+/.-]/;

/** Whatever could be the beginning of a secret is held back until it is known to be none. */
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

/** Where a known secret begins of which only a part is here. */
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
