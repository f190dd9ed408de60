import type { Redactor } from "../../json/redact.ts";

/** Words of a model as they come, with secrets masked that come in pieces. */
export interface MaskedWords {
  /** What of all that came so far may be told now. */
  readonly push: (words: string) => string;
  /** The rest, once nothing more belongs to it. */
  readonly flush: () => string;
}

/** A last word that is as long as this, or has something in it that keys have, may be the beginning of a secret. */
const longWord = 12;
const keyLike = /[\d_=+/.-]/;

/** Whatever could be the beginning of a secret is held back until it is known to be none. */
export const maskedWords = (redactor: Redactor, secrets: () => Iterable<string>): MaskedWords => {
  let held = "";
  return {
    push: (words) => {
      held += words;
      const cut = Math.min(lastWord(held), beginsSecret(held, secrets()));
      const told = redactor.text(held.slice(0, cut));
      held = held.slice(cut);
      return told;
    },
    flush: () => {
      const told = redactor.text(held);
      held = "";
      return told;
    },
  };
};

const lastWord = (text: string): number => {
  const from = text.search(/\S*$/);
  const word = text.slice(from);
  return word.length >= longWord || keyLike.test(word) ? from : text.length;
};

/** Where a known secret begins of which only a part is here. */
const beginsSecret = (text: string, secrets: Iterable<string>): number => {
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
