import { minSecretLength } from "./secret-forms.ts";

const headerPattern = /^\s*([A-Za-z][\w-]*)\s+(\S+)\s*$/;
/** A short second word may be an ordinary one. */
const minSecondWordLength = 2 * minSecretLength;

export const passwordOf = (pair: string): string | undefined => {
  const at = pair.indexOf(":");
  return at < 0 ? undefined : pair.slice(at + 1);
};

/** Services repeat a token without its scheme, and a password without its user. */
export const headerSecrets = (secret: string): readonly string[] => {
  const [, scheme, token] = headerPattern.exec(secret) ?? [];
  if (token === undefined || token.length < minSecondWordLength) return [];
  if (scheme!.toLowerCase() !== "basic") return [token];
  const pair = Buffer.from(token, "base64").toString();
  const password = passwordOf(pair);
  return password === undefined ? [token] : [token, pair, password];
};
