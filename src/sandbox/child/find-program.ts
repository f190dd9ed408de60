import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where systems keep their own programs, for a process whose PATH leaves them out. */
const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

/** The file of a program, as a shell would find it. Relative folders of PATH do not count: anybody may write there. */
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
