import { statSync } from "node:fs";
import { win32 } from "node:path";

/** What a child process is started with, so that no shell reads its arguments. */
export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are a line that is quoted already. */
  readonly isVerbatim: boolean;
}

/** A system that programs are started on. */
export interface ProgramSystem {
  readonly os: NodeJS.Platform;
  /** What the program will see of variables; on Windows their names have no case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it will run; this process's own folder unless given. */
  readonly cwd?: string | undefined;
  readonly isFile?: (path: string) => boolean;
}

/** A batch file was given an argument that no quoting can carry. */
export class UnquotableArgumentError extends Error {
  readonly code = "EINVAL";
}

const isExistingFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * Everywhere but on Windows a program is started as it is named. There `npx` is the file `npx.cmd`, which Windows does
 * not find by itself and only cmd.exe can run: the file is looked for as a shell would, and a batch file's arguments
 * are quoted for cmd.exe.
 */
export const programStart = (
  command: string,
  args: readonly string[],
  system: ProgramSystem,
): ProgramStart => {
  const plain = { file: command, args, isVerbatim: false };
  if (system.os !== "win32") return plain;
  const file = findOnWindows(command, system);
  if (file === undefined) return plain;
  if (!isBatchFile(file)) return { ...plain, file };
  if ([file, ...args].some((each) => /[\0\r\n]/.test(each))) {
    throw new UnquotableArgumentError("A batch file takes no argument with a line break.");
  }
  // Read once as the line of /c, and once more where the batch file hands its arguments on, as those of npm do.
  const line = [
    escapedForCmd(win32.normalize(file)),
    ...args.map((each) => escapedForCmd(escapedForCmd(quotedForWindows(each)))),
  ];
  return {
    file: environmentVariable(system.env, "COMSPEC") || "cmd.exe",
    args: ["/d", "/s", "/c", `"${line.join(" ")}"`],
    isVerbatim: true,
  };
};

/** Whether Windows runs this file only through cmd.exe. */
export const isBatchFile = (file: string): boolean => /\.(?:cmd|bat)$/i.test(file);

const findOnWindows = (command: string, system: ProgramSystem): string | undefined => {
  const { env, cwd = process.cwd(), isFile = isExistingFile } = system;
  const endings = (environmentVariable(env, "PATHEXT") || ".COM;.EXE;.BAT;.CMD")
    .split(";")
    .filter((end) => end !== "");
  const hasEnding = endings.some((end) => command.toLowerCase().endsWith(end.toLowerCase()));
  // The current folder is not looked into for a bare name: what lies there need not be a program of the operator's.
  const folders = /[\\/:]/.test(command)
    ? [cwd]
    : (environmentVariable(env, "PATH") ?? "").split(";").map((folder) => folder.replace(/^"(.*)"$/, "$1"));
  for (const folder of folders) {
    if (folder === "") continue;
    for (const end of hasEnding ? ["", ...endings] : endings) {
      const path = win32.resolve(folder, `${command}${end}`);
      if (isFile(path)) return path;
    }
  }
  return undefined;
};

const environmentVariable = (env: ProgramSystem["env"], name: string): string | undefined =>
  env[name] ?? Object.entries(env).find(([each]) => each.toUpperCase() === name)?.[1];

/**
 * One argument as Windows programs read it: backslashes count only before a quote, and are doubled there. Each run of
 * them is looked at from its beginning alone, so that a long one costs no more than its length.
 */
const quotedForWindows = (text: string): string =>
  `"${text.replaceAll(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, "$1$1")}"`;

/** Every character that means something to cmd.exe is taken as it is, once. */
const escapedForCmd = (text: string): string => text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, "^$&");
