/** What the operating system refuses, without the numbers and calls it says it with. */
const words: Readonly<Record<string, string>> = {
  EACCES: "this user may not use it",
  EPERM: "this user may not use it",
  EROFS: "the disk may only be read",
  ENOENT: "it is not there, or its folder is not",
  EISDIR: "it is a folder, and a file is needed",
  ENOTDIR: "a part of its path is a file, and a folder is needed",
  EEXIST: "something else is there already",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
};

/** Trouble with a file in words; nothing for any other error. */
export const systemTrouble = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  const { code = "", path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const why = words[code];
  if (why === undefined || path === undefined) return undefined;
  // What is written beside a file and put in its place is about that file.
  return `${(dest ?? path).replace(/\.new$/, "")} cannot be used: ${why}.`;
};
