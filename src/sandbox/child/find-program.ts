import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

/** Relative PATH entries are ignored, because they may be writable by others. */
export const findProgram = (name: string): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return [...folders, ...systemFolders].map((folder) => join(folder, name)).find(isProgram);
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

interface SystemLimits {
  /** Private writable memory. */
  readonly data?: number;
  /** The process receives SIGXCPU, and is killed a second later. */
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Of its user in its namespace. */
  readonly processes?: number;
  readonly fileBytes?: number;
}

export const findPrlimit = (): string | undefined =>
  process.platform === "linux" ? findProgram("prlimit") : undefined;

/** Precede the limited program. */
export const prlimitArguments = (limits: SystemLimits): readonly string[] => [
  "--core=0",
  ...(limits.data === undefined ? [] : [`--data=${limits.data}`]),
  ...(limits.cpuSeconds === undefined ? [] : [`--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`]),
  ...(limits.openFiles === undefined ? [] : [`--nofile=${limits.openFiles}`]),
  ...(limits.processes === undefined ? [] : [`--nproc=${limits.processes}`]),
  ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
  "--",
];
