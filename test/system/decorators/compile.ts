import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const compiler = pathOf("../../../node_modules/typescript/bin/tsc");

/** The supported decorator modes of compilers. */
export const modes = [
  "standard decorators by tsc",
  "standard decorators by esbuild",
  "experimentalDecorators by tsc",
  "experimentalDecorators and emitDecoratorMetadata by tsc",
] as const;

export type Mode = (typeof modes)[number];

const flagsOf = (mode: Mode): readonly string[] =>
  ["experimentalDecorators", "emitDecoratorMetadata"]
    .filter((flag) => mode.includes(flag))
    .map((flag) => `--${flag}`);

/** Types are checked elsewhere; this only emits code. */
const emit = async (source: string, mode: Mode, directory: string): Promise<void> => {
  if (mode.endsWith("esbuild")) {
    const { code } = await transform(await readFile(source, "utf8"), { loader: "ts", target: "es2022" });
    return writeFile(join(directory, "tools.js"), code);
  }
  const flags = ["--ignoreConfig", "--noCheck", "--noResolve", "--target", "es2022", "--module", "esnext"];
  await run(process.execPath, [compiler, ...flags, ...flagsOf(mode), "--outDir", directory, source]);
};

/** Compiles and loads a fixture without value imports. */
export const compile = async <Module>(fixture: string, mode: Mode): Promise<Module> => {
  const directory = await mkdtemp(join(tmpdir(), "decorators-"));
  try {
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await emit(pathOf(`fixtures/${fixture}.ts`), mode, directory);
    return await import(pathToFileURL(join(directory, `${fixture}.js`)).href);
  } finally {
    await rm(directory, { recursive: true });
  }
};

/** Compiler errors of files in another mode than that of the codebase. */
export const checkTypes = async (paths: readonly string[], flags: readonly string[]): Promise<string> => {
  const settings =
    "--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --types node";
  const target = "--target es2024 --lib es2024,esnext.disposable --module nodenext";
  const given = `${settings} ${target}`.split(" ");
  try {
    await run(process.execPath, [compiler, ...given, ...flags, ...paths.map(pathOf)], {
      cwd: pathOf("../../.."),
    });
    return "";
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
};
