import { maskSecretText, secretKeys } from "../../base/json/secrets/mask-secret-text.ts";
import { redactedMark } from "../../base/json/secrets/span.ts";
import { isStdioServer, type NamedMcpServer } from "../../types/mcp.ts";

export const mcpClientApps = [
  "claude-code",
  "claude-desktop",
  "vscode",
  "vscode-insiders",
  "cursor",
  "windsurf",
  "zed",
  "gemini",
  "codex",
] as const;

export type McpClientApp = (typeof mcpClientApps)[number];

/** `project` is shared by everyone in a folder; `local` is one user's setting for one folder. */
export type DiscoveryScope = "project" | "local" | "user";

export interface DiscoverySource {
  readonly client: McpClientApp;
  readonly file: string;
  readonly scope: DiscoveryScope;
  readonly name: string;
  readonly project?: string;
}

/** A server that a program on this machine configures. It contains no secret values. */
export interface DiscoveredServer {
  /** Unique and valid as a Haft server id. */
  readonly id: string;
  readonly from: DiscoverySource;
  /** The configuration with placeholders, and secret names instead of values. Missing if invalid. */
  readonly config: NamedMcpServer | undefined;
  /** Why it cannot be used as it is, or what was left out. */
  readonly problems: readonly string[];
  /** The command line or URL with probable secrets masked. */
  readonly shown: string;
  /** Names of placeholders that need a value. */
  readonly needsInput: readonly string[];
}

const isSecretKey = secretKeys();

const knownTokenPattern =
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|npm|hf|AKIA|eyJ)[-_A-Za-z0-9.]{12,}/g;
const randomTextPattern =
  /(?<![A-Za-z0-9+/=_@.-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{28,}={0,2}(?![A-Za-z0-9+/=_@.-])/g;

const hideTokens = (text: string): string =>
  text.replace(knownTokenPattern, redactedMark).replace(randomTextPattern, redactedMark);

/** Never in tokens, but meaningful to shells or package runners. */
const syntaxCharacters = /[^\w.~+/=:%-]/g;

const countSyntaxCharacters = (text: string): number => text.match(syntaxCharacters)?.length ?? 0;

/** As in `mcp-remote --header`. */
const headerArgumentPattern =
  /^((?:--?[A-Za-z][\w-]*=)?([A-Za-z][\w-]*):\s*(?:(?:bearer|basic|digest|token)\s+)?)[\w.~+/=:%-]+$/i;

const maskHeader = (text: string): string => {
  const [, before, name] = headerArgumentPattern.exec(text) ?? [];
  return before !== undefined && isSecretKey(name!) ? `${before}${redactedMark}` : text;
};

/** Masks only plain values, so that a command cannot pass off code as a secret. */
const maskValues = (text: string): string => {
  const inHeader = maskHeader(text);
  if (inHeader !== text) return inHeader;
  const masked = hideTokens(maskSecretText(text, isSecretKey));
  return countSyntaxCharacters(masked.replaceAll(redactedMark, "")) === countSyntaxCharacters(text)
    ? masked
    : hideTokens(text);
};

const invisibleCharacterPattern =
  /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Escapes invisible characters, so that nothing is hidden in a command. */
const shellWord = (text: string): string => {
  const seen = text.replace(invisibleCharacterPattern, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
  return /^[\w@%+=:,./[\]${}-]+$/.test(seen) ? seen : `'${seen.replaceAll("'", `'\\''`)}'`;
};

const maskArguments = (command: string, args: readonly string[]): readonly string[] => {
  let hidesNext = false;
  return [command, ...args].map((part) => {
    const isValue =
      hidesNext && !part.startsWith("-") && !part.startsWith(`\${`) && countSyntaxCharacters(part) === 0;
    hidesNext = /^--?[A-Za-z][\w-]*$/.test(part) && isSecretKey(part.replace(/^-+/, ""));
    return isValue ? redactedMark : maskValues(part);
  });
};

/** Placeholders without a default stay. */
const queryValuePattern = /=(?!\$\{(?:(?!:-)[^{}&#])*\}(?:[&#]|$))[^&#]*/g;

const maskUrl = (url: string): string => {
  const [address, ...rest] = url.split("?");
  const query = rest.join("?").replace(queryValuePattern, `=${redactedMark}`);
  // API keys are often path segments.
  const plain = maskSecretText(address!, isSecretKey).split("/").map(hideTokens).join("/");
  return query === "" ? plain : `${plain}?${query}`;
};

export const withoutSecrets = (server: NamedMcpServer): NamedMcpServer => {
  if (!isStdioServer(server)) return { ...server, url: maskUrl(server.url) };
  const [command, ...args] = maskArguments(server.command, server.args ?? []);
  return { ...server, command: command!, ...(server.args === undefined ? {} : { args }) };
};

export const maskedCommandText = (command: string, args: readonly string[]): string =>
  maskArguments(command, args).map(shellWord).join(" ");

/** The ASCII form reveals lookalike letters in a host. */
const toAsciiUrl = (url: string): string =>
  /\P{ASCII}/u.test(url) && URL.canParse(url) ? new URL(url).href : url;

export const maskedUrlText = (url: string): string =>
  shellWord(maskUrl(toAsciiUrl(url))).replace(/^'(.*)'$/, "$1");

export const hasMaskedSecret = (shown: string): boolean => shown.includes(redactedMark);
