import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { HaftConfig } from "../gateway/define-config.ts";
import { readServersFile } from "../mcp/discover/servers-file.ts";
import type { ConfigInput } from "../runtime/config.ts";
import type { McpOptions } from "../runtime/mcp-options.ts";
import type { HaftOptions } from "../runtime/options.ts";
import type { McpServer } from "../words/mcp.ts";
import type { Option } from "./command.ts";
import { loadModule } from "./load-module.ts";
import { Misuse } from "./misuse.ts";
import { secretNames } from "./secret-names.ts";
import { checkServe } from "./serve/check-serve.ts";

const names = ["haft.config.ts", "haft.config.mts", "haft.config.js", "haft.config.mjs", "haft.config.json"];

/** Servers that `haft mcp add` took over. */
export const serversFile = "haft.mcp.json";

export const configOption = {
  type: "string",
  short: "c",
  value: "FILE",
  about:
    "a module whose default export goes to Haft.open, or JSON (haft.config.ts, .js or .json if there is one)",
} as const satisfies Option;

/** Which file it is, if any: the one that was named, or the first that is there. */
export const configurationFile = (file: string | undefined): string | undefined =>
  file ?? names.find((name) => existsSync(name));

/** What belongs to a project stands beside its configuration, wherever a command is started. */
export const projectFile = (file: string | undefined, name: string): string =>
  join(dirname(configurationFile(file) ?? name), name);

/** Where somebody's review of remote tools is; `false` where the configuration wants none. */
export const lockPlace = async (file: string | undefined): Promise<string | false> => {
  const { mcp } = await readConfiguration(file);
  return mcp?.lock ?? projectFile(file, "haft.lock");
};

/** What the user's own file wants of a runtime; nothing where there is none. `version` reads it again. */
export const readConfiguration = async (file: string | undefined, version?: string): Promise<HaftConfig> => {
  const found = configurationFile(file);
  if (found === undefined) return {};
  const config = found.endsWith(".json") ? await readJsonFile(found) : await loadConfig(found, version);
  if (config.serve !== undefined) checkServe(config.serve, found);
  return fromFolder(config, dirname(found));
};

/** A path in a file is meant from that file. */
const fromFolder = (config: HaftConfig, folder: string): HaftConfig => {
  const lock = config.mcp?.lock;
  const settings = config.config;
  return {
    ...config,
    ...(typeof lock === "string" ? { mcp: { ...config.mcp, lock: resolve(folder, lock) } } : {}),
    ...(typeof settings === "object" ? { config: foldersFrom(settings, folder) } : {}),
  };
};

/** What is no list of paths is left as it is, for whoever checks the settings. */
const foldersFrom = (settings: ConfigInput, folder: string): ConfigInput => {
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

const loadConfig = async (file: string, version: string | undefined): Promise<HaftConfig> => {
  const { default: options } = await loadModule(file, "configuration", version);
  if (typeof options === "object" && options !== null) return options;
  throw new Misuse(`${file} has no default export with options for Haft.open.`);
};

/** With the servers and the lock beside it, which every command but those of the books needs. */
export const withServersFile = async (
  options: HaftOptions,
  file: string | undefined,
): Promise<HaftOptions> => {
  const place = projectFile(file, serversFile);
  if (!existsSync(place)) {
    return options.mcp === undefined ? options : { ...options, mcp: withLock(options.mcp, file) };
  }
  const added = await readServersFile(place);
  const servers: Readonly<Record<string, McpServer>> = { ...added, ...options.mcp?.servers };
  return {
    ...options,
    mcp: withLock({ ...options.mcp, servers }, file),
    // Whoever keeps no secrets elsewhere has them in the environment, under the names that the file has.
    ...(options.credentials === undefined
      ? { credentials: { env: Object.fromEntries(secretNames(added).map((name) => [name, name])) } }
      : {}),
  };
};

const withLock = (mcp: McpOptions, file: string | undefined): McpOptions => ({
  ...mcp,
  lock: mcp.lock ?? projectFile(file, "haft.lock"),
});

/** Whatever can be said in JSON; `tools` are files that export some. */
const readJsonFile = async (file: string): Promise<HaftConfig> => {
  if (!existsSync(file)) throw new Misuse(`There is no configuration at ${file}.`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new Misuse(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Misuse(`${file} holds no object with options for Haft.open.`);
  }
  const { tools, $schema: _, ...options } = value as { readonly tools?: unknown; readonly $schema?: unknown };
  if (tools === undefined) return options;
  if (!Array.isArray(tools) || !tools.every((each) => typeof each === "string")) {
    throw new Misuse(`${file}: "tools" must be a list of files that export tools.`);
  }
  const { loadTools } = await import("./load-tools.ts");
  return { ...options, tools: await loadTools(tools.map((each) => resolve(dirname(file), each))) };
};
