import { decodedLayers } from "./decoded-layers.ts";

const secretNames = [
  "password|passwd|passphrase|passcode|pwd|secrets?|credentials?|token|(?:access|refresh|auth|api|bearer)tokens",
  "(?:api|private|access|secret|signing|encryption|ssh|master|account|shared|service)keys?",
  "authorization|cookies?|jwt|connectionstring|seedphrase|mnemonic|(?:recovery|backup)codes?",
].join("|");

/** What may follow a name without making it harmless: a password's hash is kept quiet, its length need not be. */
const harmlessEndings =
  "value|header|text|string|raw|hash|base64|pem|confirmation|confirm|repeat|new|old|current|v?\\d+";

const secretNamePattern = new RegExp(
  `(?:^(?:auth|pass|pin|otp|cvv|cvc)|${secretNames})(?:${harmlessEndings}){0,3}$`,
);

/** Case, spaces, dots, dashes and underscores do not tell names apart. Only the end of a name counts. */
const normalizedName = (key: string): string =>
  key
    .slice(-120)
    .toLowerCase()
    .replace(/[\s._-]+/g, "");

/**
 * Whether a key's name says that its value is a secret. The last word decides, so "accessToken" and "X-Api-Key"
 * are secret while "maxTokens", "tokenCount" and "secretName" are not. `more` adds names or a pattern of the
 * caller's own; it cannot take any away. Escapes in a name, as in "p\u0061ssword", do not hide it.
 */
export const secretKeys = (more?: RegExp | readonly string[]): ((key: string) => boolean) => {
  // A global or sticky pattern remembers where it stopped and would miss every second key.
  const pattern =
    more instanceof RegExp ? new RegExp(more.source, more.flags.replace(/[gy]/g, "")) : undefined;
  const listed = new Set(more instanceof RegExp ? [] : more?.map(normalizedName));
  const isSecretName = (key: string): boolean => {
    const name = normalizedName(key);
    return secretNamePattern.test(name) || listed.has(name) || (pattern?.test(key) ?? false);
  };
  const known = new Map<string, boolean>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const isSecret =
      isSecretName(key) || decodedLayers(key.slice(-500)).some(({ text }) => isSecretName(text));
    if (known.size >= 1_000) known.clear();
    if (key.length <= 64) known.set(key, isSecret);
    return isSecret;
  };
};
