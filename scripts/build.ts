import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, type Plugin, type RolldownOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { build as buildSite } from "vite";
import { checkedEntries, peerCheckEntry, writeCheckedEntry } from "./build/checked-entries.ts";
import { type BundledModule, chooseChunks } from "./build/chunks.ts";
import { entryFile } from "./build/entry-file.ts";
import { lineMappings } from "./build/line-mappings.ts";

/**
 * The published files: entry points and the command line as ES modules over shared chunks, and the types of
 * the entry points.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const entryPoints = Object.values<string | { readonly default: string }>(manifest.exports).flatMap(
  (target) => (typeof target === "string" ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, "")]),
);
/** Worker files. They are found by their path: see `src/sandbox/quickjs/guest-worker.ts`. */
const workers = { "sandbox/quickjs-worker": "src/sandbox/quickjs/worker/main.ts" };

const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
const isPackage = /^[^./]/;

/** CommonJS files are copied unchanged next to the chunks: bundlers of users follow their `require`. */
const commonJs = new Set<string>();
const keepCommonJs: Plugin = {
  name: "keep-common-js",
  resolveId: (id, importer) => {
    if (!id.endsWith(".cjs") || importer === undefined) return null;
    commonJs.add(join(importer, "..", id));
    return { id: `./${basename(id)}`, external: true };
  },
};

const bundleOptions = (input: Readonly<Record<string, string>>): RolldownOptions => ({
  cwd: root,
  input,
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  external: isPackage,
  plugins: [keepCommonJs],
  treeshake: { moduleSideEffects: false },
  tsconfig: false,
  onLog: (level, log, next) => {
    // A module that is loaded lazily in one place and eagerly in another is intended.
    if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") next(level, log);
  },
});

type BundleBuild = Awaited<ReturnType<typeof rolldown>>;

/** The chunk of each module that has one, by the module's file: see `scripts/build/chunks.ts`. */
const chunksOf = async (built: BundleBuild): Promise<ReadonlyMap<string, string>> => {
  const { output: made } = await built.generate({ format: "es", preserveModules: true });
  const written = made.filter((each) => each.type === "chunk");
  const files = new Map(written.map(({ fileName, facadeModuleId }) => [fileName, facadeModuleId!]));
  const modules = written.map(({ facadeModuleId, imports, code }): [string, BundledModule] => [
    facadeModuleId!,
    {
      imports: imports.flatMap((name) => files.get(name) ?? []),
      packages: imports.filter((name) => !files.has(name)),
      bytes: code.length,
    },
  ]);
  return chooseChunks(new Map(modules), (name) => join(root, "src", name));
};

const output: OutputOptions = { dir: dist, format: "es", chunkFileNames: "chunks/[name]-[hash].js" };

/** Code of these folders never calls user code, so no stack trace of user code leads into it. */
const internalSources = /src\/(cli|fleet|ledger|mcp|registry\/selection|server|tools\/gram)\//;

const mapIsNeeded = (path: string): boolean =>
  !JSON.parse(readFileSync(path, "utf8")).sources.every((source: string) => internalSources.test(source));

const removeMap = (path: string): void => {
  rmSync(path);
  const file = path.replace(/\.map$/, "");
  writeFileSync(file, readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"));
};

/** Imports, and standalone types with their comments, which the type declarations contain too. */
const erasedCode = [
  /^import\b[^;]*;$/gm,
  /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(export )?(interface \w[\s\S]*?\n\}|interface \w[^\n]*\{\}|type \w[^;]*;)$/gm,
];

/** Blanks erased source lines in source maps and keeps line numbers; they were a sixth of the package. */
const blankErased = (source: string | null): string | null =>
  erasedCode.reduce(
    (text, what) => text?.replace(what, (found) => found.replace(/[^\n]+/g, "")) ?? null,
    source,
  );

const mapByLine = (path: string): void => {
  const map = JSON.parse(readFileSync(path, "utf8"));
  const sourcesContent = (map.sourcesContent as (string | null)[]).map(blankErased);
  const mappings = lineMappings(map.mappings);
  writeFileSync(path, JSON.stringify({ ...map, sourcesContent, names: [], mappings }));
};

const buildCode = async (): Promise<void> => {
  const entries = [
    ...entryPoints.map((entryPoint) => [entryPoint, `src/${entryFile(entryPoint)}.ts`]),
    ["cli/main", "src/cli/main.ts"],
  ];
  await using built = await rolldown(
    bundleOptions({ ...Object.fromEntries(entries), ...workers, ...peerCheckEntry }),
  );
  const chunks = await chunksOf(built);
  const { output: written } = await built.write({
    ...output,
    sourcemap: true,
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [...new Set(chunks.values())].map((name) => ({ name, test: (id) => chunks.get(id) === name })),
    },
  });
  for (const each of written) {
    if (each.type === "chunk" && each.isEntry && Object.hasOwn(checkedEntries, each.name))
      writeCheckedEntry(dist, each.name, each.exports);
  }
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js.map")) continue;
    const path = join(dist, file);
    if (mapIsNeeded(path)) mapByLine(path);
    else removeMap(path);
  }
  for (const file of commonJs) {
    copyFileSync(file, join(dist, "chunks", basename(file)));
    for (const [, data = ""] of readFileSync(file, "utf8").matchAll(/require\("\.\/([\w-]+\.json)"\)/g))
      copyFileSync(join(file, "..", data), join(dist, "chunks", data));
  }
};

const buildTypes = async (): Promise<void> => {
  const declarations = mkdtempSync(join(tmpdir(), "haft-types-"));
  try {
    const words = [compiler, "-p", "tsconfig.build.json", "--outDir", declarations];
    execFileSync(process.execPath, words, { cwd: root, stdio: "inherit" });
    const entries = entryPoints.map((entryPoint) => [
      entryPoint,
      join(declarations, `${entryFile(entryPoint)}.d.ts`),
    ]);
    await using built = await rolldown({
      input: Object.fromEntries(entries),
      external: isPackage,
      // `oxc` only keeps the plugin from starting a compiler: the declarations exist already.
      plugins: [dts({ dtsInput: true, emitDtsOnly: true, oxc: true })],
    });
    await built.write(output);
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
};

/** Builds the Studio page for browsers. */
const buildPage = async (): Promise<void> => {
  await buildSite({ root: join(root, "studio"), logLevel: "warn" });
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await buildTypes();
await buildCode();
await buildPage();
