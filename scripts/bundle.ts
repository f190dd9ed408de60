import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

export interface Bundle {
  readonly min: number;
  readonly gzip: number;
  /** Packages loaded with the entry, whether or not a bundler could drop them. */
  readonly packages: readonly string[];
  /** Files of those packages and of this one, relative to the project. */
  readonly files: readonly string[];
  /** Size of each file in the minified bundle, largest first. */
  readonly shares: readonly (readonly [file: string, bytes: number])[];
}

const packageOf = (file: string): string | undefined =>
  file.match(/^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];

/** Import kinds that load a module lazily. The one CommonJS file uses `require`. */
const lazyImportKinds: ReadonlySet<string> = new Set(["dynamic-import", "require-call"]);

/** Files that load with the entry through static imports. */
const staticFiles = (inputs: Metafile["inputs"], entry: string): readonly string[] => {
  const files = new Set([entry]);
  for (const file of files) {
    for (const found of inputs[file]?.imports ?? []) {
      if (!found.external && !lazyImportKinds.has(found.kind)) files.add(found.path);
    }
  }
  return [...files];
};

/** Bundles an entry, relative to the root, with its dependencies, without lazily loaded modules. */
export const bundle = async (entry: string): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node22",
    write: false,
    metafile: true,
    logLevel: "silent",
    external: [...builtinModules, "node:*"],
    plugins: [
      {
        name: "loaded-later",
        setup: ({ onResolve }) => {
          onResolve({ filter: /.*/ }, ({ kind, path, importer }) =>
            lazyImportKinds.has(kind) && !importer.includes("node_modules")
              ? { path, external: true }
              : undefined,
          );
        },
      },
    ],
  });
  const [output] = outputFiles;
  const files = staticFiles(metafile.inputs, entry);
  const shares = Object.values(metafile.outputs).flatMap((made) =>
    Object.entries(made.inputs).map(([file, { bytesInOutput }]) => [file, bytesInOutput] as const),
  );
  const packages = new Set(files.flatMap((file) => packageOf(file) ?? []));
  return {
    min: output!.contents.byteLength,
    gzip: gzipSync(output!.contents, { level: 9 }).byteLength,
    packages: [...packages].sort(),
    files,
    shares: shares.sort(([, left], [, right]) => right - left),
  };
};
