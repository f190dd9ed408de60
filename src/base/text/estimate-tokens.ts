const pieces = /\p{L}+|\p{N}+|[^\p{L}\p{N}\s]+|\s+/gu;

/**
 * Estimates the number of tokens for budgets, independent of a tokenizer. For tool definitions of this
 * repository the estimate is 1.00 to 1.29 times the count of o200k and cl100k, 1.2 on average (`node
 * bench/estimate.ts`). Other tokenizers need a reserve of a fifth.
 */
export const estimateTokens = (text: string): number => {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += costOf(piece);
  return Math.ceil(tokens * margin);
};

/** Without it, half of the measured definitions would be underestimated. */
const margin = 1.15;

const costOf = (piece: string): number => {
  if (piece === " ") return 0;
  // Tokenizers encode other scripts as bytes; letters share tokens more often than signs.
  if (!ascii.test(piece)) return bytesIn(piece) / (letters.test(piece) ? 3 : 4 / 3);
  if (letters.test(piece)) return Math.max(piece.length / 9, piece.match(words)!.length);
  return Math.ceil(piece.length / (digits.test(piece) ? 3 : 4));
};

const ascii = /^[\0-\x7f]+$/;
const letters = /^\p{L}/u;
const digits = /^[0-9]/;
/** get, HTTP and Headers in getHTTPHeaders. */
const words = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

const encoder = new TextEncoder();
const bytesIn = (text: string): number => encoder.encode(text).length;
