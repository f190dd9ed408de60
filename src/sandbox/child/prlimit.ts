import { findProgram } from "./find-program.ts";

/** What the system itself holds a process to. Each one that is missing is not limited. */
export interface SystemLimits {
  /** Memory that is its own and can be written, in bytes. */
  readonly data?: number;
  /** Whole seconds of computing; the process is ended at the first, and killed a second later. */
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Of its user in its own namespace. */
  readonly processes?: number;
  /** The longest file, in bytes. */
  readonly fileBytes?: number;
}

/** The program that sets limits and then becomes the one that it is given; undefined where the system has none. */
export const findPrlimit = (): string | undefined =>
  process.platform === "linux" ? findProgram("prlimit") : undefined;

/** The arguments up to the program that is to be limited. */
export const prlimitArguments = (limits: SystemLimits): readonly string[] => [
  "--core=0",
  ...(limits.data === undefined ? [] : [`--data=${limits.data}`]),
  ...(limits.cpuSeconds === undefined ? [] : [`--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`]),
  ...(limits.openFiles === undefined ? [] : [`--nofile=${limits.openFiles}`]),
  ...(limits.processes === undefined ? [] : [`--nproc=${limits.processes}`]),
  ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
  "--",
];
