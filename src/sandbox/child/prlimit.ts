import { findProgram } from "./find-program.ts";

export interface SystemLimits {
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
