import { homedir } from "node:os";
import { foreignWords } from "../client/transport/foreign-words.ts";
import { entriesOf } from "./entries.ts";
import type { FoundIn, FoundServer } from "./found-server.ts";
import { type ConfigFile, type Machine, pathsOf, projectPlaces, userPlaces } from "./places.ts";
import { readJsonc } from "./read-jsonc.ts";
import { isThere, type ReadFile, readPlace, readSmallFile } from "./read-place.ts";
import { readToml } from "./read-toml.ts";
import { toServer } from "./to-server.ts";

/** Where `discover` looks for the configurations of other programs. */
export interface DiscoverOptions extends Partial<Machine> {
  /** Where to look for files of a project, and in the folders around it up to the root of its repository. */
  readonly cwd?: string;
  readonly readFile?: ReadFile;
}

/**
 * Lists the servers that programs of this machine are set up with. It reads their files and does nothing else: no
 * server is started or asked. What cannot be read is in the list too, with its problem.
 */
export const discover = async (options: DiscoverOptions = {}): Promise<readonly FoundServer[]> => {
  const { cwd = process.cwd(), readFile = readSmallFile } = options;
  const machine: Machine = {
    home: options.home ?? homedir(),
    platform: options.platform ?? process.platform,
    env: options.env ?? process.env,
  };
  const folders = await foldersFrom(cwd, machine.platform, readFile);
  const ofUser = userPlaces(machine);
  // From the home folder, the user's files look like a project's.
  const isOfUser = ({ file }: ConfigFile): boolean => ofUser.some((place) => place.file === file);
  const ofProject = folders.flatMap((folder) => projectPlaces(folder, machine.platform));
  const places = [...ofProject.filter((place) => !isOfUser(place)), ...ofUser];
  const idOf = idGiver();
  // All are read at once; ids are given in the order of the list, so that they are the same each time.
  const texts = await Promise.all(places.map(({ file }) => readPlace(file, readFile)));
  return Object.freeze(
    places.flatMap((place, at) => {
      const text = texts[at]!;
      if (text.kind === "absent") return [];
      if (text.kind === "trouble") return [broken(place, `${place.file} ${text.why}.`, idOf)];
      return serversIn(place, text.text, machine, idOf);
    }),
  );
};

/** A folder and those around it, up to the one that has a repository; only itself where none has. */
const foldersFrom = async (
  cwd: string,
  platform: NodeJS.Platform,
  readFile: ReadFile,
): Promise<readonly string[]> => {
  const { dirname, join } = pathsOf(platform);
  const folders: string[] = [];
  for (let folder = cwd; folders.length < 100; folder = dirname(folder)) {
    folders.push(folder);
    if (await isThere(join(folder, ".git"), readFile)) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
};

type IdOf = (name: string) => string;

const serversIn = (place: ConfigFile, text: string, machine: Machine, idOf: IdOf): readonly FoundServer[] => {
  const { file, shape, client } = place;
  const isToml = shape === "codex";
  const reading = isToml ? readToml(text) : readJsonc(text);
  if (!reading.ok) {
    const what = isToml ? "TOML" : "JSON";
    return [broken(place, `${file}:${reading.line}:${reading.column} is not ${what} from here on.`, idOf)];
  }
  const { entries, problems } = entriesOf(reading.value, place);
  const { sep: separator } = pathsOf(machine.platform);
  const found = entries.map(({ name, value, scope, project }): FoundServer => {
    const id = idOf(name);
    const filling = { home: machine.home, project, separator };
    const understood = toServer(value, { id, shape, filling, platform: machine.platform });
    const from: FoundIn = {
      client,
      file,
      scope,
      name: foreignWords(name),
      ...(project === undefined ? {} : { project }),
    };
    const said = understood.problems.map((problem) => `"${from.name}" in ${file} ${problem}.`);
    return Object.freeze({ ...understood, id, from: Object.freeze(from), problems: Object.freeze(said) });
  });
  return [...problems.map((problem) => broken(place, `${file} ${problem}.`, idOf)), ...found];
};

const broken = (place: ConfigFile, problem: string, idOf: IdOf): FoundServer =>
  Object.freeze({
    id: idOf(place.client),
    from: Object.freeze({ client: place.client, file: place.file, scope: place.scope, name: "" }),
    config: undefined,
    problems: Object.freeze([problem]),
    shown: "",
    needsInput: Object.freeze([]),
  });

const reserved = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype", "then", "toJSON"]);

/** Fit to stand before the names of tools, whatever a file calls the server. */
const isServerId = (id: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$/.test(id) && !reserved.has(id) && !/[_-]$/.test(id);

const safeId = (name: string): string => {
  const plain = name
    .slice(0, 200)
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, (between) => (between === "_" ? "_" : "-"))
    .slice(0, 24)
    .replace(/^[_-]+|[_-]+$/g, "");
  return isServerId(plain) ? plain : plain === "" ? "server" : `${plain}-server`;
};

/** Gives every name an id that nobody has yet. Ids that differ only in case are one on some disks. */
const idGiver = (): ((name: string) => string) => {
  const taken = new Set<string>();
  return (name) => {
    const plain = safeId(name);
    let id = plain;
    for (let count = 2; taken.has(id.toLowerCase()); count++) id = `${plain}-${count}`;
    taken.add(id.toLowerCase());
    return id;
  };
};
