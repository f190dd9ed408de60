import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The used part of Stryker's result. */
export interface TestedMutant {
  readonly fileName: string;
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

type Stryker = new (options: object) => { runMutationTest: () => Promise<TestedMutant[]> };

const root = fileURLToPath(new URL("../..", import.meta.url));
const version = "10.1.1";
const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${version}`);

/** Installs Stryker when it is missing: only `npm run mutants` needs it. */
export const loadStryker = async (): Promise<Stryker> => {
  const name = "@stryker-mutator/core";
  try {
    return (await import(name)).Stryker;
  } catch {
    console.error(`Installing Stryker ${version}.`);
    const flags = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", ...flags, ...packages], { cwd: root, stdio: "inherit" });
    return (await import(name)).Stryker;
  }
};
