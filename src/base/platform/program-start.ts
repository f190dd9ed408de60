import { statSync } from "node:fs";
import { win32 } from "node:path";

export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are already quoted. */
  readonly isVerbatim: boolean;
}

export interface ProgramSystem {
  readonly os: NodeJS.Platform;
  /** On Windows the names are case-insensitive. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  readonly isFile?: (path: string) => boolean;
}

/** A batch-file argument that cannot be quoted. */
export class UnquotableArgumentError extends Error {
  readonly code = "EINVAL";
}

const isExistingFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * On Windows `npx` is the batch file `npx.cmd`, which only cmd.exe can run: its path is searched as a shell
 * would, and its arguments are quoted for cmd.exe.
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
    throw new UnquotableArgumentError("An argument of a batch file must not have a line break.");
  }
  // Escaped twice: cmd.exe parses the arguments for /c, and again where the batch file passes them on.
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

export const isBatchFile = (file: string): boolean => /\.(?:cmd|bat)$/i.test(file);

const findOnWindows = (command: string, system: ProgramSystem): string | undefined => {
  const { env, cwd = process.cwd(), isFile = isExistingFile } = system;
  const endings = (environmentVariable(env, "PATHEXT") || ".COM;.EXE;.BAT;.CMD")
    .split(";")
    .filter((end) => end !== "");
  const hasEnding = endings.some((end) => command.toLowerCase().endsWith(end.toLowerCase()));
  // The current folder may contain untrusted programs.
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

/** Backslashes are doubled before a quote. The lookbehind keeps the match linear. */
const quotedForWindows = (text: string): string =>
  `"${text.replaceAll(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, "$1$1")}"`;

const escapedForCmd = (text: string): string => text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, "^$&");
