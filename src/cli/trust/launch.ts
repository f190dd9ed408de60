import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type {
  CommandSource,
  SecretSource,
  SecretSourceConfig,
} from "../../base/credentials/secret-source.ts";
import { type SecretOrigin, secretOrigins } from "../../base/credentials/secrets/secret-origins.ts";
import { hashJson, hashText } from "../../base/json/canonical-json.ts";
import { isObject } from "../../base/json/json-value.ts";
import { visible } from "../../base/text/visible.ts";
import { readServer } from "../../mcp/client/read-server.ts";
import { launchOf, launchText } from "../../mcp/lock/launch.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import {
  isStdioServer,
  type MaybeSecret,
  type McpServer,
  type RemoteServer,
  type StdioServer,
} from "../../types/mcp.ts";

/** A server or secret command that configuration wants to start or reach. */
export interface Launch {
  readonly hash: string;
  readonly what: string;
  /** Secrets are not masked, so it is shown at a terminal only. */
  readonly text: string;
  readonly summary: string;
  readonly folder: string;
}

export const listLaunches = (
  { mcp, credentials }: Pick<HaftOptions, "mcp" | "credentials">,
  from?: string,
): readonly Launch[] => [
  ...Object.entries(mcp?.servers ?? {})
    .map(([id, server]) => readServer(id, server))
    .filter(({ disabled }) => disabled !== true)
    .map((server) => serverLaunch(server.id, server, credentials, from)),
  ...commandSources(credentials).flatMap((source) => secretLaunches(source, from)),
];

/**
 * The hash covers where `credentials` reads each named secret from; otherwise the same name could later send
 * any file of the user.
 */
export const serverLaunch = (
  id: string,
  server: McpServer,
  credentials: HaftOptions["credentials"],
  from = ".",
): Launch => {
  const values = shownValues((credentials ?? {}) as SecretSource, from);
  return isStdioServer(server)
    ? stdioLaunch(id, server, values, from)
    : remoteLaunch(id, server, values, from);
};

const stdioLaunch = (id: string, server: StdioServer, values: ServerValues, from: string): Launch => {
  const { command, args = [], env = {}, inheritEnv = [] } = server;
  const folder = realFolder(resolve(from, server.cwd ?? "."));
  const launch = launchOf(server);
  const hash = hashJson({
    command,
    args: [...args],
    env: { ...inheritedVariables(inheritEnv), ...values.digests(env) },
    folder,
    ...("sandbox" in launch && launch.sandbox !== undefined ? { sandbox: launch.sandbox } : {}),
  });
  const { cwd: _, ...masked } = launch as Extract<typeof launch, { readonly command: string }>;
  const variables = [
    ...Object.entries(env).map(values.display),
    ...inheritEnv.map((name) => `${name} (inherited)`),
  ];
  const sandbox = server.sandbox === undefined ? "" : ` in the sandbox ${JSON.stringify(server.sandbox)}`;
  return {
    hash,
    what: `the MCP server "${toVisibleLine(id)}"`,
    text: toVisibleLine(`${quoteWords([command, ...args])}${namesSuffix(variables)}${sandbox}`),
    summary: toVisibleLine(launchText(masked)),
    folder,
  };
};

/** A request to a URL can send a secret, so URLs are accepted like commands. */
const remoteLaunch = (id: string, server: RemoteServer, values: ServerValues, from: string): Launch => {
  const { url, headers = {}, oauth } = server;
  const folder = realFolder(from);
  const signIn =
    typeof oauth === "object" ? { ...oauth, clientSecret: values.digest(oauth.clientSecret ?? "") } : oauth;
  const hash = hashJson({
    url,
    headers: values.digests(headers),
    folder,
    ...(signIn === undefined ? {} : { oauth: signIn }),
  });
  const names = Object.keys(headers);
  const secret = typeof oauth === "object" ? oauth.clientSecret : undefined;
  const sent: Readonly<Record<string, MaybeSecret>> =
    typeof secret === "object" ? { ...headers, "the OAuth client secret": secret } : headers;
  return {
    hash,
    what: `the MCP server "${toVisibleLine(id)}"`,
    text: toVisibleLine(`${url}${namesSuffix(Object.entries(sent).map(values.display))}`),
    summary: toVisibleLine(`${launchText(launchOf(server))}${namesSuffix(names)}`),
    folder,
  };
};

const secretLaunches = ({ argv, env = [] }: CommandSource, from?: string): readonly Launch[] =>
  // A function is code of a trusted folder, which could start the program itself.
  typeof argv !== "object" || argv === null
    ? []
    : Object.entries(argv).flatMap(([name, words]) =>
        Array.isArray(words) && words.every((word) => typeof word === "string")
          ? [
              {
                ...secretLaunch(words, env, from),
                what: `the command for the secret "${toVisibleLine(name)}"`,
              },
            ]
          : [],
      );

export const secretLaunch = (
  argv: readonly string[],
  env: readonly string[],
  from = ".",
): Omit<Launch, "what"> => {
  const [command = "", ...args] = argv;
  const folder = realFolder(from);
  return {
    hash: hashJson({ command, args, env: inheritedVariables(env), folder }),
    text: toVisibleLine(`${quoteWords(argv)}${namesSuffix(env)}`),
    summary: toVisibleLine(launchText(launchOf({ command, args, inheritEnv: env }))),
    folder,
  };
};

export const commandSources = (
  source: HaftOptions["credentials"] | SecretSource,
): readonly CommandSource[] => {
  if (typeof source !== "object" || source === null) return [];
  if (Array.isArray(source)) return source.flatMap(commandSources);
  const { command, sources } = source as SecretSourceConfig;
  return [...(isObject(command) ? [command] : []), ...(sources === undefined ? [] : commandSources(sources))];
};

interface ServerValues {
  readonly digest: (value: MaybeSecret) => string;
  /** A changed value is another launch, because values control a program as arguments do. */
  readonly digests: (values: Readonly<Record<string, MaybeSecret>>) => Readonly<Record<string, string>>;
  readonly display: (entry: readonly [string, MaybeSecret]) => string;
}

const shownValues = (source: SecretSource, from: string): ServerValues => {
  const originsOf = (name: string): readonly SecretOrigin[] =>
    secretOrigins(source, name).map((origin) =>
      typeof origin === "object" && "file" in origin ? { file: resolve(from, origin.file) } : origin,
    );
  const digest = (value: MaybeSecret): string =>
    typeof value === "string"
      ? `text ${hashText(value)}`
      : `secret ${value.secret} from ${hashJson(originsOf(value.secret))}`;
  return {
    digest,
    digests: (values) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digest(value)])),
    display: ([name, value]) => {
      if (typeof value === "string") return `${name}=${JSON.stringify(value)}`;
      const origins = originsOf(value.secret).map(shownOrigin).join(" or ");
      return `${name} (secret ${value.secret}${origins === "" ? "" : `, from ${origins}`})`;
    },
  };
};

const shownOrigin = (origin: SecretOrigin): string => {
  if (origin === "code") return "code or a value of the configuration";
  if ("file" in origin) return origin.file;
  return "command" in origin ? `the command ${quoteWords(origin.command)}` : `$${origin.env}`;
};

const inheritedVariables = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, "inherited"]));

export const realFolder = (folder: string): string => {
  const path = resolve(folder);
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const quoteWords = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");

const namesSuffix = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` with ${names.join(", ")}`;

/** Escapes characters that could break the line or hide a part of it. */
export const toVisibleLine = (text: string): string =>
  visible(text).replaceAll("\n", "<U+000A>").replaceAll("\t", "<U+0009>");
