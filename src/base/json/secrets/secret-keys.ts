import { decodedLayers } from "./decoded-layers.ts";

const secretNames = [
  "password|passwd|passphrase|passcode|pwd|secrets?|credentials?|token|(?:access|refresh|auth|api|bearer)tokens",
  "(?:api|private|access|secret|signing|encryption|ssh|master|account|shared|service)keys?",
  "authorization|cookies?|jwt|connectionstring|seedphrase|mnemonic|(?:recovery|backup)codes?",
].join("|");

/** Endings that keep a name secret: a password's hash is masked, its length is not. */
const secretSuffixes =
  "value|header|text|string|raw|hash|base64|pem|confirmation|confirm|repeat|new|old|current|v?\\d+";

const secretNamePattern = new RegExp(
  `(?:^(?:auth|pass|pin|otp|cvv|cvc)|${secretNames})(?:${secretSuffixes}){0,3}$`,
);

const normalizedName = (key: string): string =>
  key
    .slice(-120)
    .toLowerCase()
    .replace(/[\s._-]+/g, "");

/**
 * The last word decides: "accessToken" is secret, "maxTokens" and "secretName" are not. Escapes in a name are
 * decoded.
 */
export const secretKeys = (more?: RegExp | readonly string[]): ((key: string) => boolean) => {
  // A global or sticky pattern keeps `lastIndex`.
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
