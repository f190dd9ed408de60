import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readJson } from "../base/json/read-json.ts";
import { protectFile, protectSecretFile } from "../base/platform/protected-files.ts";
import { shellQuote } from "../base/text/shell-quote.ts";
import { readServersFile } from "../mcp/discovery/servers-file.ts";
import type { ConfigInput } from "../runtime/config.ts";
import type { HaftOptions } from "../runtime/haft-options.ts";
import type { McpOptions } from "../runtime/mcp-options.ts";
import type { HaftConfig } from "../server/gateway/define-config.ts";
import type { McpServer } from "../types/mcp.ts";
import { CommandUsageError, type Option, type Terminal } from "./command.ts";
import { type ImportOptions, loadModule } from "./load-module.ts";
import { painter, plainText } from "./screen.ts";
import { checkServe } from "./serve/check-serve.ts";
import { serverSecretNames } from "./server-secret-names.ts";
import type { Trust } from "./trust/trust.ts";

const configurationFileNames = [
  "haft.config.ts",
  "haft.config.mts",
  "haft.config.js",
  "haft.config.mjs",
  "haft.config.json",
];

export const serversFile = "haft.mcp.json";

export const configOption = {
  type: "string",
  short: "c",
  value: "FILE",
  about:
    "a module whose default export is passed to Haft.open, or JSON (default: haft.config.ts, .js or .json)",
} as const satisfies Option;

export const configurationFile = (file: string | undefined): string | undefined =>
  file ?? configurationFileNames.find((name) => existsSync(name));

export const projectFile = (file: string | undefined, name: string): string =>
  join(dirname(configurationFile(file) ?? name), name);

export const projectLockPath = async (file: string | undefined, trust: Trust): Promise<string | false> => {
  const { mcp } = await readConfiguration(file, trust);
  return mcp?.lock ?? projectFile(file, "haft.lock");
};

export const requireTrustedProject = async (file: string | undefined, trust: Trust): Promise<void> => {
  const found = configurationFile(file);
  const others = [serversFile, "haft.openapi.json"].map((name) => projectFile(file, name)).filter(existsSync);
  const files = [...(found === undefined ? [] : [found]), ...others];
  if (files.length > 0)
    await trust.requireFolder(
      dirname(files[0]!),
      files.map((each) => basename(each)),
    );
};

export const readConfiguration = async (
  file: string | undefined,
  trust: Trust,
  options: ImportOptions = {},
): Promise<HaftConfig> => {
  const found = configurationFile(file);
  if (found === undefined) return {};
  if (!existsSync(found)) throw new CommandUsageError(`The configuration file ${found} does not exist.`);
  await trust.requireFolder(dirname(found), [basename(found)]);
  return checkConfiguration(
    found.endsWith(".json")
      ? await loadJsonConfiguration(found, options)
      : await importConfiguration(found, options),
    found,
  );
};

/** For commands that run nothing: imports no code of an untrusted folder. */
export const readDataConfiguration = async (
  file: string | undefined,
  trust: Trust,
  terminal: Pick<Terminal, "error" | "hasColor">,
): Promise<HaftConfig> => {
  const found = configurationFile(file);
  if (found === undefined || !existsSync(found) || (await trust.isTrusted(dirname(found))))
    return readConfiguration(file, trust);
  if (found.endsWith(".json")) {
    const { config, ...options } = (await readJsonConfiguration(found)).options;
    // A path could name any file of this user.
    return checkConfiguration(typeof config === "string" ? options : { ...options, config }, found);
  }
  if (!notedTerminals.has(terminal.error)) {
    notedTerminals.add(terminal.error);
    terminal.error(
      `${painter(terminal).dim(`${plainText(found)} was not read: its folder is not trusted. haft trust add ${shellQuote(dirname(found))} trusts it.`)}\n`,
    );
  }
  return {};
};

const notedTerminals = new WeakSet<Terminal["error"]>();

const checkConfiguration = (config: HaftConfig, file: string): HaftConfig => {
  if (config.serve !== undefined) checkServe(config.serve, file);
  const resolved = resolvePaths(config, dirname(file));
  for (const path of [file, resolved.config]) if (typeof path === "string") protectSecretFile(path);
  if (typeof resolved.mcp?.lock === "string") protectFile(resolved.mcp.lock);
  return resolved;
};

const resolvePaths = (config: HaftConfig, folder: string): HaftConfig => {
  const lock = config.mcp?.lock;
  const settings = config.config;
  return {
    ...config,
    ...(typeof lock === "string" ? { mcp: { ...config.mcp, lock: resolve(folder, lock) } } : {}),
    ...(typeof settings === "object" ? { config: resolveFolderSettings(settings, folder) } : {}),
  };
};

/** Leaves invalid values unchanged for the settings check. */
const resolveFolderSettings = (settings: ConfigInput, folder: string): ConfigInput => {
  const from = (path: unknown): unknown =>
    typeof path === "string" && path !== "" ? resolve(folder, path) : path;
  const prefix = settings.security?.allowedFilePathPrefix;
  const files = settings.skills?.files;
  const lists = Object.entries(files ?? {}).filter(
    ([name, list]) => (name === "read" || name === "write") && Array.isArray(list),
  );
  return {
    ...settings,
    ...(prefix === undefined
      ? {}
      : { security: { ...settings.security, allowedFilePathPrefix: from(prefix) as string } }),
    ...(lists.length === 0
      ? {}
      : {
          skills: {
            ...settings.skills,
            files: {
              ...files,
              ...Object.fromEntries(
                lists.map(([name, list]) => [name, (list as readonly unknown[]).map(from)]),
              ),
            },
          },
        }),
  };
};

const importConfiguration = async (file: string, how: ImportOptions): Promise<HaftConfig> => {
  const { default: options } = await loadModule(file, "configuration", how);
  if (typeof options === "object" && options !== null) return options;
  throw new CommandUsageError(`${file} has no default export with options for Haft.open.`);
};

export const withServersFile = async (
  options: HaftOptions,
  file: string | undefined,
): Promise<HaftOptions> => {
  const place = projectFile(file, serversFile);
  if (!existsSync(place)) {
    return options.mcp === undefined ? options : { ...options, mcp: withDefaultLock(options.mcp, file) };
  }
  const added = await readServersFile(place);
  const servers: Readonly<Record<string, McpServer>> = { ...added, ...options.mcp?.servers };
  return {
    ...options,
    mcp: withDefaultLock({ ...options.mcp, servers }, file),
    credentials: credentialsOf(options, added),
  };
};

/** Without configured credentials, secrets are environment variables with the names in haft.mcp.json. */
export const credentialsOf = (
  { credentials }: HaftOptions,
  added: Readonly<Record<string, McpServer>>,
): NonNullable<HaftOptions["credentials"]> =>
  credentials ?? { env: Object.fromEntries(serverSecretNames(added).map((name) => [name, name])) };

const withDefaultLock = (mcp: McpOptions, file: string | undefined): McpOptions => ({
  ...mcp,
  lock: mcp.lock ?? projectFile(file, "haft.lock"),
});

/** `tools` is separate, because its files are code. */
const readJsonConfiguration = async (
  file: string,
): Promise<{ readonly options: HaftConfig; readonly tools: unknown }> => {
  // Reading a pipe would wait for a writer.
  if (!statSync(file).isFile()) throw new CommandUsageError(`${file} is not a regular file.`);
  // Of two members with one name, a reviewer may see another one than a lenient parser.
  const reading = readJson(await readFile(file, "utf8"));
  if (!reading.ok)
    throw new CommandUsageError(
      `${file} cannot be read as JSON: ${reading.problem.message} Correct the file.`,
    );
  const { value } = reading;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CommandUsageError(`${file} does not contain an object with options for Haft.open.`);
  }
  const { tools, $schema: _, ...options } = value as { readonly tools?: unknown; readonly $schema?: unknown };
  return { options, tools };
};

const loadJsonConfiguration = async (
  file: string,
  { onlyKnown = false }: ImportOptions,
): Promise<HaftConfig> => {
  const { options, tools } = await readJsonConfiguration(file);
  if (tools === undefined) return options;
  if (!Array.isArray(tools) || !tools.every((each) => typeof each === "string")) {
    throw new CommandUsageError(`${file}: "tools" must be a list of files that export tools.`);
  }
  const { loadTools } = await import("./load-tools.ts");
  const files = tools.map((each) => resolve(dirname(file), each));
  return { ...options, tools: await loadTools(files, { onlyKnown }) };
};
