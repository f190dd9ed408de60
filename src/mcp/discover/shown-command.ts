import { secretKeys } from "../../json/secrets/secret-keys.ts";
import { maskSecretText } from "../../json/secrets/secret-text.ts";
import { mask } from "../../json/secrets/span.ts";

const isSecretKey = secretKeys();

/** Tokens of well-known services, and whatever is too long and too mixed to be a word or a path. */
const token = /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|npm|hf|AKIA|eyJ)[-_A-Za-z0-9.]{12,}/g;
const mixed =
  /(?<![A-Za-z0-9+/=_@.-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{28,}={0,2}(?![A-Za-z0-9+/=_@.-])/g;

const hideTokens = (text: string): string => text.replace(token, mask).replace(mixed, mask);

/** A word as a POSIX shell reads it back. Signs that cannot be seen are spelled out: nothing hides in a command. */
const word = (text: string): string => {
  const seen = text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  );
  return /^[\w@%+=:,./[\]${}-]+$/.test(seen) ? seen : `'${seen.replaceAll("'", `'\\''`)}'`;
};

/** The exact command line, except that values of secrets are masked. */
export const shownCommand = (command: string, args: readonly string[]): string => {
  let hidesNext = false;
  const words = [command, ...args].map((part) => {
    const hidden =
      hidesNext && !part.startsWith("-") && !part.startsWith(`\${`)
        ? mask
        : hideTokens(maskSecretText(part, isSecretKey));
    hidesNext = /^--?[A-Za-z][\w-]*$/.test(part) && isSecretKey(part.replace(/^-+/, ""));
    return word(hidden);
  });
  return words.join(" ");
};

/** The address without a login, and without values of its query. */
export const shownUrl = (url: string): string => {
  const [address, ...rest] = url.split("?");
  const query = rest.join("?").replace(/=[^&#]*/g, `=${mask}`);
  // A key is often a part of the path.
  const plain = maskSecretText(address!, isSecretKey).split("/").map(hideTokens).join("/");
  return word(query === "" ? plain : `${plain}?${query}`).replace(/^'(.*)'$/, "$1");
};

/** Whether something in it had to be masked. */
export const hidesSecret = (shown: string): boolean => shown.includes(mask);
