import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, chmod, chown, cp, mkdtemp, rename, rm, statfs, writeFile } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type PostgresPrograms, pathExists, serverUser } from "./postgres-programs.ts";

const execFileAsync = promisify(execFile);

export const clusterPassword = "kit-password";

const sharedMemoryPath = "/dev/shm";
const minFreeBytes = 4 * 2 ** 30;

/**
 * Chooses memory for clusters if there is space. A database is hundreds of files, which are much slower to
 * create on disk. Durability after a killed server is the same in both.
 */
export const chooseClusterFolder = async (): Promise<string> => {
  try {
    await access(sharedMemoryPath, constants.W_OK);
    const { bsize, bavail } = await statfs(sharedMemoryPath);
    return bsize * bavail > minFreeBytes ? sharedMemoryPath : tmpdir();
  } catch {
    return tmpdir();
  }
};

/** Creates an empty cluster as a copy of a template, because initdb takes seconds. */
export const copyCluster = async (programs: PostgresPrograms, data: string): Promise<void> => {
  const { stdout } = await execFileAsync(programs.postgres, ["--version"], serverUser);
  const version = stdout.replaceAll(/[^0-9.]+/g, "");
  const template = join(tmpdir(), `haft-postgres-cluster-${version}-${serverUser.uid ?? process.getuid?.()}`);
  if (!(await pathExists(template))) await createTemplateCluster(programs, template);
  if (platform() === "win32") await cp(template, data, { recursive: true });
  // The copy belongs to the copying user, so root needs no chown.
  else await execFileAsync("cp", ["-R", template, data], { cwd: dirname(data), ...serverUser });
  await chmod(data, 0o700);
};

/** As root, gives the folder to the user of the server. */
export const chownToServer = async (folder: string): Promise<void> => {
  const { uid, gid } = serverUser;
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
};

/** If several processes create it at the same time, one wins. */
const createTemplateCluster = async (programs: PostgresPrograms, template: string): Promise<void> => {
  const folder = await mkdtemp(`${template}-`);
  await chownToServer(folder);
  try {
    const data = join(folder, "data");
    await initCluster(programs, data);
    await rename(data, template);
  } catch (error) {
    if (!(await pathExists(template))) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Its superuser is `postgres`. */
const initCluster = async ({ initdb }: PostgresPrograms, data: string): Promise<void> => {
  const passwordFile = `${data}.password`;
  await writeFile(passwordFile, `${clusterPassword}\n`);
  const flags = [
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await execFileAsync(initdb, flags, { cwd: dirname(data), ...serverUser });
};
