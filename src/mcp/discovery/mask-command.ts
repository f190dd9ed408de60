import { secretKeys } from "../../json/secrets/secret-keys.ts";
import { maskSecretText } from "../../json/secrets/secret-text.ts";
import { mask } from "../../json/secrets/span.ts";
import { isStdio, type NamedServer } from "../../words/mcp.ts";

const isSecretKey = secretKeys();

/** Tokens of well-known services, and whatever is too long and too mixed to be a word or a path. */
const token = /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|npm|hf|AKIA|eyJ)[-_A-Za-z0-9.]{12,}/g;
const mixed =
  /(?<![A-Za-z0-9+/=_@.-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{28,}={0,2}(?![A-Za-z0-9+/=_@.-])/g;

const hideTokens = (text: string): string => text.replace(token, mask).replace(mixed, mask);

/** Signs that no token has and that mean something to a shell, an interpreter or a runner of packages. */
const meaning = /[^\w.~+/=:%-]/g;

const countOf = (text: string): number => text.match(meaning)?.length ?? 0;

/** A header as `mcp-remote --header` takes it. Its value may be a scheme and a token, and no more than that. */
const headerLine =
  /^((?:--?[A-Za-z][\w-]*=)?([A-Za-z][\w-]*):\s*(?:(?:bearer|basic|digest|token)\s+)?)[\w.~+/=:%-]+$/i;

const maskHeader = (text: string): string => {
  const [, before, name] = headerLine.exec(text) ?? [];
  return before !== undefined && isSecretKey(name!) ? `${before}${mask}` : text;
};

/** A command may call anything a secret, so only what can be no more than a value is masked. */
const maskValues = (text: string): string => {
  const inHeader = maskHeader(text);
  if (inHeader !== text) return inHeader;
  const masked = hideTokens(maskSecretText(text, isSecretKey));
  return countOf(masked.replaceAll(mask, "")) === countOf(text) ? masked : hideTokens(text);
};

/** Not seen at all, or seen as a space. */
const unseen = /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A word as a POSIX shell reads it back. Signs that cannot be seen are spelled out: nothing hides in a command. */
const word = (text: string): string => {
  const seen = text.replace(unseen, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
  return /^[\w@%+=:,./[\]${}-]+$/.test(seen) ? seen : `'${seen.replaceAll("'", `'\\''`)}'`;
};

/** The command and its arguments, with values of secrets masked. */
const maskedWords = (command: string, args: readonly string[]): readonly string[] => {
  let hidesNext = false;
  return [command, ...args].map((part) => {
    const isValue = hidesNext && !part.startsWith("-") && !part.startsWith(`\${`) && countOf(part) === 0;
    hidesNext = /^--?[A-Za-z][\w-]*$/.test(part) && isSecretKey(part.replace(/^-+/, ""));
    return isValue ? mask : maskValues(part);
  });
};

/** A value of a query, unless it is a placeholder without a default. */
const queryValue = /=(?!\$\{(?:(?!:-)[^{}&#])*\}(?:[&#]|$))[^&#]*/g;

/** The address without a login, and without values of its query. */
const maskedUrl = (url: string): string => {
  const [address, ...rest] = url.split("?");
  const query = rest.join("?").replace(queryValue, `=${mask}`);
  // A key is often a part of the path.
  const plain = maskSecretText(address!, isSecretKey).split("/").map(hideTokens).join("/");
  return query === "" ? plain : `${plain}?${query}`;
};

/** Without the secrets in its arguments or its address: no name of a secret can stand there in their place. */
export const withoutSecrets = (server: NamedServer): NamedServer => {
  if (!isStdio(server)) return { ...server, url: maskedUrl(server.url) };
  const [command, ...args] = maskedWords(server.command, server.args ?? []);
  return { ...server, command: command!, ...(server.args === undefined ? {} : { args }) };
};

/** The exact command line, except that values of secrets are masked. */
export const shownCommand = (command: string, args: readonly string[]): string =>
  maskedWords(command, args).map(word).join(" ");

/** Letters of other alphabets make a host that looks like another one; a browser goes by its ASCII form. */
const inAscii = (url: string): string =>
  /\P{ASCII}/u.test(url) && URL.canParse(url) ? new URL(url).href : url;

export const shownUrl = (url: string): string => word(maskedUrl(inAscii(url))).replace(/^'(.*)'$/, "$1");

/** Whether something in it had to be masked. */
export const hidesSecret = (shown: string): boolean => shown.includes(mask);
