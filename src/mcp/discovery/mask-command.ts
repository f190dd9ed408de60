import { maskSecretText } from "../../base/json/secrets/mask-secret-text.ts";
import { secretKeys } from "../../base/json/secrets/secret-keys.ts";
import { redactedMark } from "../../base/json/secrets/span.ts";
import { isStdioServer, type NamedMcpServer } from "../../types/mcp.ts";

const isSecretKey = secretKeys();

/** Tokens of well-known services, and whatever is too long and too mixed to be a word or a path. */
const knownTokenPattern =
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|npm|hf|AKIA|eyJ)[-_A-Za-z0-9.]{12,}/g;
const randomTextPattern =
  /(?<![A-Za-z0-9+/=_@.-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{28,}={0,2}(?![A-Za-z0-9+/=_@.-])/g;

const hideTokens = (text: string): string =>
  text.replace(knownTokenPattern, redactedMark).replace(randomTextPattern, redactedMark);

/** Signs that no token has and that mean something to a shell, an interpreter or a runner of packages. */
const syntaxCharacters = /[^\w.~+/=:%-]/g;

const countSyntaxCharacters = (text: string): number => text.match(syntaxCharacters)?.length ?? 0;

/** A header as `mcp-remote --header` takes it. Its value may be a scheme and a token, and no more than that. */
const headerArgumentPattern =
  /^((?:--?[A-Za-z][\w-]*=)?([A-Za-z][\w-]*):\s*(?:(?:bearer|basic|digest|token)\s+)?)[\w.~+/=:%-]+$/i;

const maskHeader = (text: string): string => {
  const [, before, name] = headerArgumentPattern.exec(text) ?? [];
  return before !== undefined && isSecretKey(name!) ? `${before}${redactedMark}` : text;
};

/** A command may call anything a secret, so only what can be no more than a value is masked. */
const maskValues = (text: string): string => {
  const inHeader = maskHeader(text);
  if (inHeader !== text) return inHeader;
  const masked = hideTokens(maskSecretText(text, isSecretKey));
  return countSyntaxCharacters(masked.replaceAll(redactedMark, "")) === countSyntaxCharacters(text)
    ? masked
    : hideTokens(text);
};

/** Not seen at all, or seen as a space. */
const invisibleCharacterPattern =
  /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A word as a POSIX shell reads it back. Signs that cannot be seen are spelled out: nothing hides in a command. */
const shellWord = (text: string): string => {
  const seen = text.replace(invisibleCharacterPattern, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
  return /^[\w@%+=:,./[\]${}-]+$/.test(seen) ? seen : `'${seen.replaceAll("'", `'\\''`)}'`;
};

/** The command and its arguments, with values of secrets masked. */
const maskArguments = (command: string, args: readonly string[]): readonly string[] => {
  let hidesNext = false;
  return [command, ...args].map((part) => {
    const isValue =
      hidesNext && !part.startsWith("-") && !part.startsWith(`\${`) && countSyntaxCharacters(part) === 0;
    hidesNext = /^--?[A-Za-z][\w-]*$/.test(part) && isSecretKey(part.replace(/^-+/, ""));
    return isValue ? redactedMark : maskValues(part);
  });
};

/** A value of a query, unless it is a placeholder without a default. */
const queryValuePattern = /=(?!\$\{(?:(?!:-)[^{}&#])*\}(?:[&#]|$))[^&#]*/g;

/** The address without a login, and without values of its query. */
const maskUrl = (url: string): string => {
  const [address, ...rest] = url.split("?");
  const query = rest.join("?").replace(queryValuePattern, `=${redactedMark}`);
  // A key is often a part of the path.
  const plain = maskSecretText(address!, isSecretKey).split("/").map(hideTokens).join("/");
  return query === "" ? plain : `${plain}?${query}`;
};

/** Without the secrets in its arguments or its address: no name of a secret can stand there in their place. */
export const withoutSecrets = (server: NamedMcpServer): NamedMcpServer => {
  if (!isStdioServer(server)) return { ...server, url: maskUrl(server.url) };
  const [command, ...args] = maskArguments(server.command, server.args ?? []);
  return { ...server, command: command!, ...(server.args === undefined ? {} : { args }) };
};

/** The exact command line, except that values of secrets are masked. */
export const maskedCommandText = (command: string, args: readonly string[]): string =>
  maskArguments(command, args).map(shellWord).join(" ");

/** Letters of other alphabets make a host that looks like another one; a browser goes by its ASCII form. */
const toAsciiUrl = (url: string): string =>
  /\P{ASCII}/u.test(url) && URL.canParse(url) ? new URL(url).href : url;

export const maskedUrlText = (url: string): string =>
  shellWord(maskUrl(toAsciiUrl(url))).replace(/^'(.*)'$/, "$1");

/** Whether something in it had to be masked. */
export const hasMaskedSecret = (shown: string): boolean => shown.includes(redactedMark);
