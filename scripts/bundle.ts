import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

export interface Bundle {
  readonly min: number;
  readonly gzip: number;
  /** Packages that are loaded as soon as the entry is, whether or not a bundler could drop them. */
  readonly packages: readonly string[];
  /** Files of those packages and of this one, relative to the project. */
  readonly files: readonly string[];
  /** What each file adds to the minified bundle, largest first. */
  readonly shares: readonly (readonly [file: string, bytes: number])[];
}

const packageOf = (file: string): string | undefined =>
  file.match(/^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];

/** How a module is named that is loaded when somebody asks for it. `require` is what our one CommonJS file does. */
const lazyImportKinds: ReadonlySet<string> = new Set(["dynamic-import", "require-call"]);

/** Everything that loads with the entry: what its files import at once. */
const staticFiles = (inputs: Metafile["inputs"], entry: string): readonly string[] => {
  const files = new Set([entry]);
  for (const file of files) {
    for (const found of inputs[file]?.imports ?? []) {
      if (!found.external && !lazyImportKinds.has(found.kind)) files.add(found.path);
    }
  }
  return [...files];
};

/** Bundles an entry, named from the project's root, with its dependencies; what is loaded later stays out. */
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
