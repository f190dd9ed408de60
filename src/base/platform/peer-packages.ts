import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../../types/errors.ts";

interface PackageRange {
  /** The oldest version that passes the tests of its integration. */
  readonly from: string;
  /** The first version that is not supported. */
  readonly below: string;
}

/**
 * `package.json` declares optional peers as `*`, because a range would let `npm install` fail for users who
 * do not use the integration.
 */
export const supportedPackages = {
  "@anthropic-ai/sdk": { from: "1.0.0", below: "2.0.0" },
  "@cedar-policy/cedar-wasm": { from: "4.9.1", below: "5.0.0" },
  "@google/genai": { from: "2.32.0", below: "4.0.0" },
  "@langchain/core": { from: "1.2.13", below: "2.0.0" },
  "@langchain/langgraph": { from: "1.4.18", below: "2.0.0" },
  "@mastra/core": { from: "1.68.0", below: "2.0.0" },
  "@openai/agents": { from: "0.17.0", below: "0.21.0" },
  "@opentelemetry/api": { from: "1.9.0", below: "2.0.0" },
  ai: { from: "7.0.50", below: "8.0.0" },
  deno: { from: "2.9.0", below: "3.0.0" },
  "js-yaml": { from: "5.5.0", below: "6.0.0" },
  langchain: { from: "1.5.14", below: "2.0.0" },
  ollama: { from: "0.6.0", below: "1.0.0" },
  openai: { from: "6.0.0", below: "8.0.0" },
  "oxc-parser": { from: "0.154.0", below: "1.0.0" },
  pg: { from: "8.16.0", below: "9.0.0" },
  "pg-boss": { from: "12.30.0", below: "13.0.0" },
  pyodide: { from: "314.0.0", below: "315.0.0" },
} as const satisfies Readonly<Record<string, PackageRange>>;

export type PeerPackage = keyof typeof supportedPackages;

const rangeOf = (name: PeerPackage): string => {
  const { from, below } = supportedPackages[name];
  return `>=${from} <${below}`;
};

const installCommand = (name: PeerPackage): string => `npm install ${name}@"${rangeOf(name)}"`;

/** Undefined also if the version is unknown, as in a bundle. */
export const packageProblem = (
  name: PeerPackage,
  needs: string,
  version: string | undefined = installedVersion(name),
): string | undefined => {
  if (version === undefined) return undefined;
  const { from, below } = supportedPackages[name];
  const isSupported = compareVersions(version, from) >= 0 && compareVersions(version, below) < 0;
  if (isSupported) return undefined;
  return `${needs} the package ${name} in version ${rangeOf(name)}, and ${version} is installed. Run: ${installCommand(name)}`;
};

/** `needs` begins the sentence: "Cedar policies need". */
export const checkPackage = (name: PeerPackage, needs: string): void => {
  const problem = packageProblem(name, needs);
  if (problem !== undefined) throw new ConfigurationError("invalid_config", problem);
};

/**
 * For `import("pg").catch(missingPackage("pg", "A ledger in PostgreSQL needs"))`: bundlers include a literal
 * import with a `catch` only if the package is installed.
 */
export const missingPackage =
  (name: PeerPackage, needs: string) =>
  (error: unknown): never => {
    if (!isMissing(error, name)) throw error;
    throw new ConfigurationError(
      "invalid_config",
      `${needs} the package ${name}, which is not installed. Run: ${installCommand(name)}`,
    );
  };

const isMissing = (error: unknown, name: string): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message !== "string") return false;
  const isNotFound = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  // A dependency may be missing instead. Vite replaces a missing optional peer with a module that throws.
  return (isNotFound && message.includes(`'${name}'`)) || message.startsWith(`Could not resolve "${name}`);
};

/** Many packages do not export `package.json`. */
const installedVersion = (name: PeerPackage): string | undefined => {
  try {
    const { resolve } = createRequire(import.meta.url);
    for (const folder of resolve.paths(name) ?? []) {
      const version = versionIn(join(folder, name), name);
      if (version !== undefined) return version;
    }
    // Yarn Plug'n'Play has no such folders.
    return versionAbove(resolve(name), name);
  } catch {
    return undefined;
  }
};

const versionAbove = (file: string, name: PeerPackage): string | undefined => {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const version = versionIn(folder, name);
    if (version !== undefined) return version;
  }
  return undefined;
};

const versionIn = (folder: string, name: PeerPackage): string | undefined => {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return manifest.name === name && typeof manifest.version === "string" ? manifest.version : undefined;
  } catch {
    return undefined;
  }
};

/** A prerelease counts as its release. */
const compareVersions = (left: string, right: string): number => {
  const [one, other] = [numbersOf(left), numbersOf(right)];
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
};

const numbersOf = (version: string): readonly number[] => {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return numbers.map(Number);
};
