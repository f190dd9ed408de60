import { basename } from "node:path";

/**
 * Reads the flags of a script. An unknown flag ends it with the list of known ones: a misspelled `--check`
 * must not write.
 */
export const readFlags = (known: Readonly<Record<string, string>>): ReadonlySet<string> => {
  const given = process.argv.slice(2).filter((word) => word.startsWith("-"));
  const usage = () => {
    const lines = Object.entries(known).map(([flag, meaning]) => `  ${flag.padEnd(10)} ${meaning}`);
    return [`usage: node scripts/${basename(process.argv[1] ?? "")} [flags]`, ...lines].join("\n");
  };
  if (given.includes("--help")) {
    console.log(usage());
    process.exit(0);
  }
  const unknown = given.find((flag) => !Object.hasOwn(known, flag));
  if (unknown !== undefined) {
    console.error(`Unknown flag ${unknown}.\n${usage()}`);
    process.exit(2);
  }
  return new Set(given);
};
