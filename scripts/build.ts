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
import { checkEntry, checkedDoors, writeCheckedDoor } from "./build/checked-doors.ts";
import { chooseChunks, type Module } from "./build/chunks.ts";
import { lineMappings } from "./build/line-mappings.ts";

/** What is published: every door and the command line as ES modules over shared chunks, and the doors' types. */
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const doors = Object.values<string | { readonly default: string }>(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, "")],
);
/** Files that workers run. They are found by their place: see `src/sandbox/quickjs/worker-file.ts`. */
const workers = { "sandbox/quickjs-worker": "src/sandbox/quickjs/worker/main.ts" };

const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
const isPackage = /^[^./]/;

/** CommonJS stays a file as it is, beside the chunks: its `require` is what the bundlers of our users follow. */
const commonJs = new Set<string>();
const keepCommonJs: Plugin = {
  name: "keep-common-js",
  resolveId: (id, importer) => {
    if (!id.endsWith(".cjs") || importer === undefined) return null;
    commonJs.add(join(importer, "..", id));
    return { id: `./${basename(id)}`, external: true };
  },
};

const sources = (input: Readonly<Record<string, string>>): RolldownOptions => ({
  cwd: root,
  input,
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  external: isPackage,
  plugins: [keepCommonJs],
  treeshake: { moduleSideEffects: false },
  tsconfig: false,
  onLog: (level, log, next) => {
    // A room that is loaded later in one place and at once in another is no mistake.
    if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") next(level, log);
  },
});

type Built = Awaited<ReturnType<typeof rolldown>>;

/** The chunk of each module that has one, by the module's file: see `scripts/build/chunks.ts`. */
const chunksOf = async (built: Built): Promise<ReadonlyMap<string, string>> => {
  const { output: made } = await built.generate({ format: "es", preserveModules: true });
  const written = made.filter((each) => each.type === "chunk");
  const files = new Map(written.map(({ fileName, facadeModuleId }) => [fileName, facadeModuleId!]));
  const modules = written.map(({ facadeModuleId, imports, code }): [string, Module] => [
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

/** The map of a chunk that holds only data would be as large as the data. */
const withoutMap = (chunk: string): void => {
  const folder = join(dist, "chunks");
  for (const file of readdirSync(folder).filter((name) => name.startsWith(`${chunk}-`))) {
    const path = join(folder, file);
    if (file.endsWith(".map")) rmSync(path);
    else writeFileSync(path, readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"));
  }
};

/** Imports, and the types that stand by themselves with what is said of them: the doors' own types say it again. */
const doneAway = [
  /^import\b[^;]*;$/gm,
  /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(export )?(interface \w[\s\S]*?\n\}|interface \w[^\n]*\{\}|type \w[^;]*;)$/gm,
];

/** What a bundle did away with is not shown, and every other line stays in its place: a sixth of the package was that. */
const withoutErased = (source: string | null): string | null =>
  doneAway.reduce(
    (text, what) => text?.replace(what, (found) => found.replace(/[^\n]+/g, "")) ?? null,
    source,
  );

const mapByLine = (path: string): void => {
  const map = JSON.parse(readFileSync(path, "utf8"));
  const sourcesContent = (map.sourcesContent as (string | null)[]).map(withoutErased);
  const mappings = lineMappings(map.mappings);
  writeFileSync(path, JSON.stringify({ ...map, sourcesContent, names: [], mappings }));
};

const buildCode = async (): Promise<void> => {
  const entries = [...doors, "cli/main"].map((entry) => [entry, `src/${entry}.ts`]);
  await using built = await rolldown(sources({ ...Object.fromEntries(entries), ...workers, ...checkEntry }));
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
    if (each.type === "chunk" && each.isEntry && Object.hasOwn(checkedDoors, each.name))
      writeCheckedDoor(dist, each.name, each.exports);
  }
  withoutMap("vocabulary");
  // Nobody's code is called from there, so no trace of an author's leads into it.
  for (const chunk of ["studio", "operators", "cli", "serve", "gateway", "http-host", "mount-mcp"])
    withoutMap(chunk);
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".js.map")) mapByLine(join(dist, file));
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
    const entries = doors.map((door) => [door, join(declarations, `${door}.d.ts`)]);
    await using built = await rolldown({
      input: Object.fromEntries(entries),
      external: isPackage,
      // `oxc` only keeps the plugin from starting a compiler: the declarations are there already.
      plugins: [dts({ dtsInput: true, emitDtsOnly: true, oxc: true })],
    });
    await built.write(output);
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
};

/** The page of the Studio: files for a browser, which nothing else loads. */
const buildPage = async (): Promise<void> => {
  await buildSite({ root: join(root, "studio"), logLevel: "warn" });
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await buildTypes();
await buildCode();
await buildPage();
