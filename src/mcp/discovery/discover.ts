import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import type { ParseError } from "jsonc-parser";
import jsonc from "jsonc-parser";
import { parse, TomlDate, TomlError } from "smol-toml";
import { sanitizeUntrustedText } from "../client/transport/sanitize-foreign-text.ts";
import {
  type ConfigFile,
  type MachineInfo,
  pathModuleOf,
  projectConfigFiles,
  readConfigEntries,
  userConfigFiles,
} from "./config-files.ts";
import { convertServer } from "./convert-server.ts";
import type { DiscoveredServer, DiscoverySource } from "./discovered-server.ts";

/** Where `discover` looks for the configurations of other MCP clients. */
export interface DiscoverOptions extends Partial<MachineInfo> {
  /** Project folder; its parents up to the repository root are searched too. */
  readonly cwd?: string;
  readonly readFile?: ReadTextFile;
}

/**
 * Lists the MCP servers that other programs on this machine configure. It only reads files; unreadable ones
 * are listed with their problem.
 */
export const discover = async (options: DiscoverOptions = {}): Promise<readonly DiscoveredServer[]> => {
  const { cwd = process.cwd(), readFile = readSmallFile } = options;
  const machine: MachineInfo = {
    home: options.home ?? homedir(),
    platform: options.platform ?? process.platform,
    env: options.env ?? process.env,
  };
  const folders = await foldersFrom(cwd, machine.platform, readFile);
  const userFiles = userConfigFiles(machine);
  // The user's files would match as project files in the home folder.
  const isOfUser = ({ file }: ConfigFile): boolean => userFiles.some((place) => place.file === file);
  const projectFiles = folders.flatMap((folder) => projectConfigFiles(folder, machine.platform));
  const files = [...projectFiles.filter((place) => !isOfUser(place)), ...userFiles];
  const idOf = createIdAllocator();
  // Ids follow the list order, so they are stable.
  const texts = await Promise.all(files.map(({ file }) => readClientConfig(file, readFile)));
  return Object.freeze(
    files.flatMap((place, at) => {
      const text = texts[at]!;
      if (text.kind === "absent") return [];
      if (text.kind === "trouble") return [unreadableServer(place, `${place.file} ${text.why}.`, idOf)];
      return readServers(place, text.text, machine, idOf);
    }),
  );
};

/** Stops at the repository root; only the folder itself if there is none. */
const foldersFrom = async (
  cwd: string,
  platform: NodeJS.Platform,
  readFile: ReadTextFile,
): Promise<readonly string[]> => {
  const { dirname, join } = pathModuleOf(platform);
  const folders: string[] = [];
  for (let folder = cwd; folders.length < 100; folder = dirname(folder)) {
    folders.push(folder);
    if (await fileExists(join(folder, ".git"), readFile)) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
};

type AllocateId = (name: string) => string;

const readServers = (
  place: ConfigFile,
  text: string,
  machine: MachineInfo,
  idOf: AllocateId,
): readonly DiscoveredServer[] => {
  const { file, shape, client } = place;
  const isToml = shape === "codex";
  const reading = isToml ? readToml(text) : readJsonc(text);
  if (!reading.ok) {
    const what = isToml ? "TOML" : "JSON";
    return [
      unreadableServer(
        place,
        `${file}:${reading.line}:${reading.column} is not ${what} from this position.`,
        idOf,
      ),
    ];
  }
  const { entries, problems } = readConfigEntries(reading.value, place);
  const { sep: separator } = pathModuleOf(machine.platform);
  const found = entries.map(({ name, value, scope, project }): DiscoveredServer => {
    const id = idOf(name);
    const placeholderValues = { home: machine.home, project, separator };
    const converted = convertServer(value, {
      id,
      shape,
      placeholderValues: placeholderValues,
      platform: machine.platform,
    });
    const from: DiscoverySource = {
      client,
      file,
      scope,
      name: sanitizeUntrustedText(name),
      ...(project === undefined ? {} : { project }),
    };
    const problemTexts = converted.problems.map((problem) => `"${from.name}" in ${file} ${problem}.`);
    return Object.freeze({
      ...converted,
      id,
      from: Object.freeze(from),
      problems: Object.freeze(problemTexts),
    });
  });
  return [...problems.map((problem) => unreadableServer(place, `${file} ${problem}.`, idOf)), ...found];
};

const unreadableServer = (place: ConfigFile, problem: string, idOf: AllocateId): DiscoveredServer =>
  Object.freeze({
    id: idOf(place.client),
    from: Object.freeze({ client: place.client, file: place.file, scope: place.scope, name: "" }),
    config: undefined,
    problems: Object.freeze([problem]),
    shown: "",
    needsInput: Object.freeze([]),
  });

const reservedIds = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype", "then", "toJSON"]);

const isServerId = (id: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$/.test(id) && !reservedIds.has(id) && !/[_-]$/.test(id);

const toServerId = (name: string): string => {
  const plain = name
    .slice(0, 200)
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, (between) => (between === "_" ? "_" : "-"))
    .slice(0, 24)
    .replace(/^[_-]+|[_-]+$/g, "");
  return isServerId(plain) ? plain : plain === "" ? "server" : `${plain}-server`;
};

/** Ids that differ only in case collide on some file systems. */
const createIdAllocator = (): ((name: string) => string) => {
  const taken = new Set<string>();
  return (name) => {
    const plain = toServerId(name);
    let id = plain;
    for (let count = 2; taken.has(id.toLowerCase()); count++) id = `${plain}-${count}`;
    taken.add(id.toLowerCase());
    return id;
  };
};

/** Invalid TOML is refused, never repaired, because commands are read from it. */
export const readToml = (text: string): ParsedText => {
  try {
    return { ok: true, value: withoutDates(parse(text.replace(/^\uFEFF/, ""))) };
  } catch (error) {
    const { line, column } = error instanceof TomlError ? error : { line: 1, column: 1 };
    return { ok: false, line, column };
  }
};

const withoutDates = (value: unknown): unknown => {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDates(member)]));
};

type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number };

/** Errors give only the position, because the text may be secret. */
export const readJsonc = (text: string): ParsedText => {
  const json = text.replace(/^\uFEFF/, " ");
  const errors: ParseError[] = [];
  try {
    const tree = jsonc.parseTree(json, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) return { ok: false, ...lineAndColumnOf(json, first.offset) };
    // Objects have no prototype, so `__proto__` is an ordinary member.
    return tree === undefined
      ? { ok: false, ...lineAndColumnOf(json, 0) }
      : { ok: true, value: jsonc.getNodeValue(tree) };
  } catch {
    return { ok: false, line: 1, column: 1 };
  }
};

const lineAndColumnOf = (
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
};

const maxConfigBytes = 1_048_576;

const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

type ReadTextFile = (file: string) => Promise<string>;

class FileTooLargeError extends Error {
  override readonly name = "TooLarge";
}

const readSmallFile: ReadTextFile = async (file) => {
  // Non-blocking, so that opening a FIFO returns.
  const opened = await open(file, openFlags);
  try {
    const about = await opened.stat();
    if (about.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    if (!about.isFile()) throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
    if (about.size > maxConfigBytes) throw new FileTooLargeError();
    return await opened.readFile("utf8");
  } finally {
    await opened.close();
  }
};

const isFileMissing = (trouble: unknown): boolean => {
  const code = (trouble as { readonly code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
};

type ConfigFileText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "trouble"; readonly why: string };

const readClientConfig = async (file: string, readFile: ReadTextFile): Promise<ConfigFileText> => {
  try {
    const text = await readFile(file);
    if (typeof text !== "string") return { kind: "trouble", why: "cannot be read: it is not text" };
    return Buffer.byteLength(text) > maxConfigBytes ? fileTooLargeResult : { kind: "text", text };
  } catch (trouble) {
    if (isFileMissing(trouble)) return { kind: "absent" };
    if (trouble instanceof FileTooLargeError) return fileTooLargeResult;
    const code = (trouble as { readonly code?: unknown } | null)?.code;
    return { kind: "trouble", why: `cannot be read${typeof code === "string" ? ` (${code})` : ""}` };
  }
};

const fileTooLargeResult: ConfigFileText = {
  kind: "trouble",
  why: "is larger than 1 MiB, so it was not read",
};

const fileExists = async (path: string, readFile: ReadTextFile): Promise<boolean> => {
  try {
    await readFile(path);
    return true;
  } catch (trouble) {
    return !isFileMissing(trouble);
  }
};
