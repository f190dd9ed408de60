import { homedir } from "node:os";
import { sanitizeForeignText } from "../client/transport/sanitize-foreign-text.ts";
import { readConfigEntries } from "./config-entries.ts";
import {
  type ConfigFile,
  type MachineInfo,
  pathModuleOf,
  projectConfigFiles,
  userConfigFiles,
} from "./config-files.ts";
import { convertServer } from "./convert-server.ts";
import type { DiscoveredServer, DiscoverySource } from "./discovered-server.ts";
import { fileExists, type ReadTextFile, readClientConfig, readSmallFile } from "./read-client-config.ts";
import { readJsonc } from "./read-jsonc.ts";
import { readToml } from "./read-toml.ts";

/** Where `discover` looks for the configurations of other programs. */
export interface DiscoverOptions extends Partial<MachineInfo> {
  /** Where to look for files of a project, and in the folders around it up to the root of its repository. */
  readonly cwd?: string;
  readonly readFile?: ReadTextFile;
}

/**
 * Lists the servers that programs of this machine are set up with. It reads their files and does nothing else: no
 * server is started or asked. What cannot be read is in the list too, with its problem.
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
  // From the home folder, the user's files look like a project's.
  const isOfUser = ({ file }: ConfigFile): boolean => userFiles.some((place) => place.file === file);
  const projectFiles = folders.flatMap((folder) => projectConfigFiles(folder, machine.platform));
  const files = [...projectFiles.filter((place) => !isOfUser(place)), ...userFiles];
  const idOf = createIdAllocator();
  // All are read at once; ids are given in the order of the list, so that they are the same each time.
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

/** A folder and those around it, up to the one that has a repository; only itself where none has. */
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
      unreadableServer(place, `${file}:${reading.line}:${reading.column} is not ${what} from here on.`, idOf),
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
      filling: placeholderValues,
      platform: machine.platform,
    });
    const from: DiscoverySource = {
      client,
      file,
      scope,
      name: sanitizeForeignText(name),
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

/** Fit to stand before the names of tools, whatever a file calls the server. */
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

/** Gives every name an id that nobody has yet. Ids that differ only in case are one on some disks. */
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
