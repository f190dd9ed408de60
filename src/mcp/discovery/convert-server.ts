import type { JsonObject } from "../../base/json/json-value.ts";
import { isStdioServer, type MaybeSecret, type NamedMcpServer, type StdioServer } from "../../types/mcp.ts";
import { type ConfigShape, jsonObjectOf } from "./config-files.ts";
import { hasMaskedSecret, maskedCommandText, maskedUrlText, withoutSecrets } from "./discovered-server.ts";

export interface ConvertedServer {
  readonly config: NamedMcpServer | undefined;
  readonly problems: readonly string[];
  readonly shown: string;
  readonly needsInput: readonly string[];
}

/** `${input:x}`, `${env:X}`, `${X}`, `${X:-default}`, and `$X` for Gemini. */
const bracedPlaceholder = /\$\{([^{}]*)\}/g;
const dollarPlaceholder = /\$(?:\{[^{}]*\}|([A-Za-z_]\w*))/g;

const folderVariables = new Set(["workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR"]);

export interface PlaceholderValues {
  readonly home: string;
  readonly project?: string | undefined;
  readonly separator: string;
}

const placeholderName = (inside: string): string => {
  const name =
    inside.startsWith("env:") || inside.startsWith("input:") ? inside.slice(inside.indexOf(":") + 1) : inside;
  const end = name.indexOf(":-");
  return end < 0 ? name : name.slice(0, end);
};

const knownValue = (inside: string, { home, project, separator }: PlaceholderValues): string | undefined => {
  if (inside === "userHome") return home;
  if (inside === "pathSeparator" || inside === "/") return separator;
  const name = inside.startsWith("env:") ? inside.slice(4) : inside;
  const plain = placeholderName(name);
  if (folderVariables.has(plain)) return project;
  return plain === "HOME" ? home : undefined;
};

export const fillPlaceholders = (text: string, values: PlaceholderValues): string =>
  text.replace(bracedPlaceholder, (whole, inside: string) => knownValue(inside, values) ?? whole);

export const findPlaceholders = (
  text: string,
  values: PlaceholderValues,
  allowsDollar: boolean,
): readonly string[] => {
  const names = Array.from(fillPlaceholders(text, values).matchAll(bracedPlaceholder), ([, inside]) =>
    placeholderName(inside!),
  );
  if (allowsDollar)
    for (const [, name] of text.matchAll(dollarPlaceholder)) if (name !== undefined) names.push(name);
  return [...new Set(names)];
};

const authSchemePattern = /^(?:Bearer|Basic|Token)\s+/i;

/** Defaults are dropped, because they are values. */
const asPlaceholderOnly = (value: string, allowsDollar: boolean): string | undefined => {
  const rest = value
    .replace(authSchemePattern, "")
    .replace(allowsDollar ? dollarPlaceholder : bracedPlaceholder, "");
  if (rest.trim() !== "" || value.trim() === "" || rest === value.replace(authSchemePattern, ""))
    return undefined;
  return value.replace(bracedPlaceholder, (_, inside: string) => {
    const end = inside.indexOf(":-");
    return `\${${end < 0 ? inside : inside.slice(0, end)}}`;
  });
};

export const environmentVariableOf = (value: string): string | undefined =>
  /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(value)?.[1] ?? /^\$([A-Za-z_]\w*)$/.exec(value)?.[1];

export interface EntryContext {
  readonly id: string;
  readonly shape: ConfigShape;
  readonly placeholderValues: PlaceholderValues;
  readonly platform: NodeJS.Platform;
}

/** Never throws. */
export const convertServer = (value: unknown, context: EntryContext): ConvertedServer => {
  const fields = jsonObjectOf(value);
  if (fields === undefined) return notConverted("is not an object");
  const problems: string[] = [];
  const needs = new Set<string>();
  const entry = { fields, problems, needs, ...context };
  const config = hasCommand(fields) ? convertStdioServer(entry) : convertRemoteServer(entry);
  if (config === undefined) return notConverted(...problems);
  const shown = isStdioServer(config)
    ? maskedCommandText(config.command, config.args ?? [])
    : maskedUrlText(config.url);
  if (hasMaskedSecret(shown))
    problems.push(`has what looks like a secret in its ${isStdioServer(config) ? "arguments" : "address"}`);
  for (const [field, what] of Object.entries(unsupportedFields))
    if (fields[field] !== undefined) problems.push(what);
  if (fields.sandboxEnabled === true && isStdioServer(config))
    problems.push(`runs in a sandbox in that program, and ${sandboxAfterImport(config)}`);
  return { config: withoutSecrets(config), problems, shown, needsInput: [...needs] };
};

const unsupportedFields: Readonly<Record<string, string>> = {
  envFile: "reads variables from an `envFile`, which is not supported: set them under `env`",
  headersHelper: "gets headers from a program, which is not supported",
};

/** The other client's sandbox may allow more than ours. */
const sandboxAfterImport = ({ sandbox }: StdioServer): string =>
  sandbox === undefined
    ? "would run without one here"
    : "would run in bubblewrap here, without network and files: list what it needs under `sandbox`";

interface EntryConversion extends EntryContext {
  readonly fields: JsonObject;
  readonly problems: string[];
  readonly needs: Set<string>;
}

const notConverted = (...problems: readonly string[]): ConvertedServer => ({
  config: undefined,
  problems,
  shown: "",
  needsInput: [],
});

const hasCommand = (fields: JsonObject): boolean => fields.command !== undefined;

const convertStdioServer = (entry: EntryConversion): NamedMcpServer | undefined => {
  const { fields, problems, id } = entry;
  // Older Zed versions nest these fields.
  const nested = jsonObjectOf(fields.command);
  const { args = [], env } = nested ?? fields;
  const command = nested === undefined ? fields.command : nested.path;
  if (typeof command !== "string" || command.trim() === "")
    problems.push("has a `command` that is not a string");
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) {
    problems.push("has `args` that are not a list of strings");
  }
  if (problems.length > 0) return undefined;
  const words = args as readonly string[];
  for (const word of [command as string, ...words]) collectPlaceholders(entry, word);
  const variables = variablesOf(entry, env, "env");
  const cwd =
    nonEmptyText(fields.cwd) ?? (entry.shape === "claude-code" ? entry.placeholderValues.project : undefined);
  if (cwd !== undefined) collectPlaceholders(entry, cwd);
  const inherited = fields.env_vars;
  return {
    id,
    transport: "stdio",
    command: command as string,
    ...(words.length === 0 ? {} : { args: words }),
    ...(variables === undefined ? {} : { env: variables }),
    ...(Array.isArray(inherited) && inherited.every((name) => typeof name === "string")
      ? { inheritEnv: inherited as readonly string[] }
      : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(fields.sandboxEnabled === true && entry.platform === "linux" ? { sandbox: "bubblewrap" } : {}),
    ...disabledOf(fields),
  };
};

const convertRemoteServer = (entry: EntryConversion): NamedMcpServer | undefined => {
  const { fields, problems, id, shape } = entry;
  const url = [fields.url, fields.serverUrl, fields.httpUrl].find((each) => each !== undefined);
  if (url === undefined) {
    problems.push(
      shape === "zed"
        ? "is started by an extension of Zed, not by a command"
        : "has neither a `command` nor a `url`",
    );
    return undefined;
  }
  if (typeof url !== "string" || !/^(?:https?|wss?):\/\/./i.test(url)) {
    problems.push("has a `url` that does not begin with http:// or https://");
    return undefined;
  }
  collectPlaceholders(entry, url);
  const headers = headersOfEntry(entry);
  const transport = transportOf(fields, url, shape);
  return {
    id,
    transport,
    url,
    ...(headers === undefined ? {} : { headers }),
    ...disabledOf(fields),
  };
};

const transportOf = (fields: JsonObject, url: string, shape: ConfigShape): "http" | "sse" | "websocket" => {
  const said = String(fields.type ?? fields.transport ?? "").toLowerCase();
  if (/^wss?:/i.test(url) || said === "ws" || said === "websocket") return "websocket";
  if (said === "sse" || (said === "" && shape === "gemini" && fields.httpUrl === undefined)) return "sse";
  return "http";
};

const disabledOf = (fields: JsonObject): { readonly disabled?: true } =>
  fields.disabled === true || fields.enabled === false ? { disabled: true } : {};

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** In Gemini's settings `$NAME` is a variable. */
const allowsDollar = ({ shape }: EntryContext): boolean => shape === "gemini";

const collectPlaceholders = (entry: EntryConversion, text: string): void => {
  for (const name of findPlaceholders(text, entry.placeholderValues, allowsDollar(entry)))
    entry.needs.add(name);
};

type ValuesByName = Readonly<Record<string, MaybeSecret>>;

/** No values are imported: placeholders stay, others become secret names. */
const variablesOf = (
  entry: EntryConversion,
  given: unknown,
  what: string,
  prefix = "",
): ValuesByName | undefined => {
  if (given === undefined || given === null) return undefined;
  const fields = jsonObjectOf(given);
  if (fields === undefined) {
    entry.problems.push(`has \`${what}\` that is not an object`);
    return undefined;
  }
  const values = Object.entries(fields).map(([name, value]): readonly [string, MaybeSecret] => {
    const text = typeof value === "string" ? asPlaceholderOnly(value, allowsDollar(entry)) : undefined;
    if (text !== undefined) collectPlaceholders(entry, text);
    return [name, text ?? { secret: secretName(prefix, name) }];
  });
  return values.length === 0 ? undefined : Object.fromEntries(values);
};

/** Header names are too common to be secret names. */
export const secretName = (prefix: string, name: string): string => {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d)/, "_");
  return prefix === "" ? plain(name) : plain(`${prefix}_${name}`).toUpperCase();
};

const headersOfEntry = (entry: EntryConversion): ValuesByName | undefined => {
  const { fields, id } = entry;
  const literal = variablesOf(entry, fields.headers ?? fields.http_headers, "headers", id);
  const named: Record<string, MaybeSecret> = {};
  for (const [name, variable] of Object.entries(jsonObjectOf(fields.env_http_headers) ?? {})) {
    if (typeof variable === "string") named[name] = `\${${variable}}`;
  }
  const bearer = fields.bearer_token_env_var;
  if (typeof bearer === "string") named.Authorization = `Bearer \${${bearer}}`;
  for (const value of Object.values(named)) collectPlaceholders(entry, value as string);
  const headers = { ...literal, ...named };
  return Object.keys(headers).length === 0 ? undefined : headers;
};
