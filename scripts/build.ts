import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, type Plugin, type RolldownOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/** What is published: every door and the command line as ES modules over shared chunks, and the doors' types. */
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const doors = Object.values<string | { readonly default: string }>(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, "")],
);
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
  external: isPackage,
  plugins: [keepCommonJs],
  treeshake: { moduleSideEffects: false },
  tsconfig: false,
  onLog: (level, log, next) => {
    // A room that is loaded later in one place and at once in another is no mistake.
    if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") next(level, log);
  },
});

/**
 * What is loaded together is one file, because sixty files cost a third of a start. Each takes what the modules load
 * with them, other than by `import()`, and what none before it has. The rest is split as the doors share it.
 */
const chunks: Readonly<Record<string, readonly string[]>> = {
  core: ["index.ts"],
  open: ["policy/policy.ts", "runtime/read-options.ts"],
  ledger: ["ledger/open-ledger.ts", "ledger/sqlite.ts"],
  mcp: ["runtime/mcp.ts"],
  cli: ["cli/run-process.ts"],
  "cli-runtime": ["cli/open-runtime.ts", "cli/open-services.ts"],
  gateway: ["gateway/stdio.ts"],
  serve: ["cli/commands/serve.ts", "cli/serve/serving.ts"],
};

type Built = Awaited<ReturnType<typeof rolldown>>;

/** The chunk of each module that has one, by the module's file. */
const placesOf = async (built: Built): Promise<ReadonlyMap<string, string>> => {
  const { output: modules } = await built.generate({ format: "es", preserveModules: true });
  const byName = new Map(modules.flatMap((made) => (made.type === "chunk" ? [[made.fileName, made]] : [])));
  const byFile = new Map([...byName.values()].map((made) => [made.facadeModuleId, made]));
  const places = new Map<string, string>();
  for (const [chunk, heads] of Object.entries(chunks)) {
    const loaded = new Set(heads.map((head) => byFile.get(join(root, "src", head))));
    for (const made of loaded) {
      if (made === undefined) throw new Error(`a module that makes the chunk ${chunk} is gone`);
      if (!places.has(made.facadeModuleId!)) places.set(made.facadeModuleId!, chunk);
      for (const name of made.imports) if (byName.has(name)) loaded.add(byName.get(name));
    }
  }
  return places;
};

const output: OutputOptions = { dir: dist, format: "es", chunkFileNames: "chunks/[name]-[hash].js" };

const buildCode = async (): Promise<void> => {
  const entries = [...doors, "cli/main"].map((entry) => [entry, `src/${entry}.ts`]);
  await using built = await rolldown(sources(Object.fromEntries(entries)));
  const places = await placesOf(built);
  await built.write({
    ...output,
    sourcemap: true,
    comments: false,
    codeSplitting: {
      groups: Object.keys(chunks).map((name) => ({ name, test: (id) => places.get(id) === name })),
    },
  });
  for (const file of commonJs) copyFileSync(file, join(dist, "chunks", basename(file)));
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

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await buildTypes();
await buildCode();
