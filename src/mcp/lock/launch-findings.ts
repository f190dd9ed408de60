import { shown } from "../../base/text/visible.ts";
import type { StdioLaunch } from "./lock.ts";

interface PackageRunner {
  readonly packages: readonly string[];
  readonly values: readonly string[];
}

/** Commands that fetch the latest version. */
const packageRunners = new Map<string, PackageRunner>([
  ["npx", { packages: ["-p", "--package"], values: ["-c", "--call", "-w", "--workspace"] }],
  ["bunx", { packages: ["-p", "--package"], values: [] }],
  ["pnpx", { packages: ["--package"], values: [] }],
  ["uvx", { packages: ["--from", "--with"], values: ["-p", "--python"] }],
  ["pipx", { packages: ["--spec"], values: ["--python"] }],
]);

/** Variables that can load other code. */
const codeLoadingVariables = new Set([
  "NODE_OPTIONS",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "BASH_ENV",
  "PATH",
]);

const isPinned = (wanted: string): boolean =>
  /^(?:\.{0,2}\/|file:)/.test(wanted) ||
  /(?:.@|==)v?\d+\.\d+\.\d+[\w.+-]*$/.test(wanted) ||
  /#[0-9a-f]{40}$/.test(wanted);

const packagesFetchedBy = (
  { packages, values }: PackageRunner,
  args: readonly string[],
): readonly string[] => {
  const named: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (!word.startsWith("-")) return named.length > 0 ? named : [word];
    const equals = word.indexOf("=");
    const option = equals < 0 ? word : word.slice(0, equals);
    const isPackage = packages.includes(option);
    if (!isPackage && !values.includes(option)) continue;
    const value = equals < 0 ? args[++at] : word.slice(equals + 1);
    if (isPackage && value !== undefined) named.push(value);
  }
  return named;
};

const withoutVersion = (wanted: string): string => wanted.replace(/(?<=.)(?:@[^@/]*|==.*)$/, "");

export const findLaunchProblems = ({ command, args, envKeys }: StdioLaunch): readonly string[] => {
  const name = command
    .replace(/^.*[\\/]/, "")
    .replace(/\.(?:cmd|exe)$/i, "")
    .toLowerCase();
  const fetcher = packageRunners.get(name);
  const words = name === "pipx" && args[0] === "run" ? args.slice(1) : args;
  const open =
    fetcher === undefined ? [] : packagesFetchedBy(fetcher, words).filter((each) => !isPinned(each));
  const isLooseImage =
    /^(?:docker|podman)$/.test(name) &&
    args.includes("run") &&
    !args.some((arg) => /@sha256:[0-9a-f]{64}$/.test(arg));
  return [
    ...open.map((each) => {
      const pinned = name.startsWith("uv") || name === "pipx" ? "==1.2.3" : "@1.2.3";
      return `${name} fetches ${shown(each)} without a fixed version, so what runs may not be what was reviewed. Pin it: ${shown(withoutVersion(each))}${pinned}, with the version you reviewed.`;
    }),
    ...(isLooseImage ? [`${name} runs an image without a digest. Pin it: name@sha256:…`] : []),
    ...envKeys
      .filter((key) => codeLoadingVariables.has(key))
      .map((key) => `${key} can load other code into the process, and its value is not in the lock.`),
    ...([command, ...args].some((word) => word.includes("[redacted:"))
      ? ["An argument looks like a secret. Other users of this machine can see it: set it in env."]
      : []),
  ];
};
