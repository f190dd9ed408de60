import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";
import { promiseFiles, promiseModules, readRawAsync } from "./raw-async.ts";
import { type ImportKind, readImports } from "./read-imports.ts";

/** Folders of `src` in import order. A file belongs to the longest entry that its path begins with. */
export const moduleOrder = [
  "types",
  "base/text",
  "base/platform",
  "base/json",
  "base/schema",
  "base/http",
  "base/credentials",
  "tools",
  "tools/gram",
  "tools/openapi",
  "policy",
  "registry",
  "registry/selection",
  "pipeline/layers",
  "pipeline",
  "ledger",
  "models/dialects",
  "models",
  "agent",
  "agent/experiments",
  "sandbox",
  "sandbox/skills",
  "mcp",
  "runtime",
  "integrations",
  "server/request",
  "server/chat",
  "server/gateway",
  "server/studio-api",
  "server/http",
  "fleet",
  "testing",
  "cli",
  "exports",
] as const;

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly imported: string;
  readonly why: string;
  readonly remedy: string;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: ImportKind;
  readonly line: number;
  readonly specifier: string;
}

const moduleIndex = new Map<string, number>(moduleOrder.map((module, index) => [module, index]));

const moduleOf = (file: string): string | undefined => {
  for (let folder = posix.dirname(file); folder !== "."; folder = posix.dirname(folder)) {
    if (moduleIndex.has(folder)) return folder;
  }
  return undefined;
};

/** Folders that may import the stages of the pipeline. */
const stageImporters: ReadonlySet<string> = new Set(["pipeline", "pipeline/pending"]);

const stageOf = (file: string): string | undefined => file.match(/^pipeline\/(\d-[^/]+)\//)?.[1];
const isTest = (file: string): boolean => /\.test(-d)?\.ts$/.test(file);

const unknownModule = (file: string): Pick<Violation, "why" | "remedy"> => ({
  why: `${file} is in no known module`,
  remedy: "add its folder to the list in scripts/check-modules.ts, at its place in the import order",
});

const findViolation = (edge: Edge): Pick<Violation, "why" | "remedy"> | undefined => {
  const { from, to } = edge;
  if (/^haft(\/|$)/.test(edge.specifier) || to.startsWith("exports/")) {
    return { why: "it is an entry point of the package", remedy: "import the file that declares the export" };
  }
  if (to.startsWith("..")) {
    return { why: "it is outside of src/", remedy: "move the shared code into a module" };
  }
  const [importer, imported] = [moduleOf(from), moduleOf(to)];
  if (imported === undefined) return unknownModule(to);
  if (importer !== undefined && moduleIndex.get(imported)! > moduleIndex.get(importer)!) {
    return {
      why: `${imported}/ comes after ${importer}/, and a module imports only earlier modules, types included`,
      remedy: "move the shared code to types/ or to an earlier module, or pass it in as a value",
    };
  }
  const stage = stageOf(to);
  if (stage === undefined || stage === stageOf(from) || importer === "exports") return undefined;
  if (stageOf(from) !== undefined) {
    return { why: "stages do not import each other", remedy: "pass a value through pipeline/call.ts" };
  }
  return stageImporters.has(posix.dirname(from))
    ? undefined
    : {
        why: `only pipeline/*.ts and pipeline/pending/*.ts import the stage ${stage}`,
        remedy: "go through pipeline/call.ts",
      };
};

/** The shortest import cycle through a file. */
const cycleThrough = (
  start: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
): readonly Edge[] | undefined => {
  const reachedBy = new Map<string, Edge>();
  const queue = [start];
  for (const file of queue) {
    for (const edge of edges.get(file) ?? []) {
      if (reachedBy.has(edge.to)) continue;
      reachedBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  const path: Edge[] = [];
  for (let edge = reachedBy.get(start); edge !== undefined; edge = reachedBy.get(edge.from)) {
    path.unshift(edge);
    if (edge.from === start) return path;
  }
  return undefined;
};

/**
 * Import cycles between files, over imports that are evaluated when a file loads. Type imports may form cycles.
 */
const findCycles = (edges: readonly Edge[]): readonly Violation[] => {
  const byFile = Map.groupBy(
    edges.filter((edge) => edge.kind === "value"),
    (edge) => edge.from,
  );
  const reported = new Set<string>();
  return [...byFile.keys()].sort().flatMap((file) => {
    const path = reported.has(file) ? undefined : cycleThrough(file, byFile);
    if (path === undefined) return [];
    for (const edge of path) reported.add(edge.from);
    const [first] = path;
    return [
      {
        file,
        line: first!.line,
        imported: first!.specifier,
        why: `the files import each other in a circle: ${[file, ...path.map((edge) => edge.to)].join(" → ")}`,
        remedy: "move what both need into a file of its own",
      },
    ];
  });
};

/** Raw promises in modules that are written in Effect, except in the files of `promiseFiles`. */
const findRawAsync = (file: string, text: string): readonly Violation[] => {
  const module = moduleOf(file);
  const found = module === undefined || promiseModules.has(module) ? [] : readRawAsync(text);
  const isException = Object.hasOwn(promiseFiles, file);
  if (isException && found.length === 0) {
    const why = "it is listed as an exception and has no raw async code";
    return [{ file, line: 1, imported: "", why, remedy: "remove it from the list in scripts/raw-async.ts" }];
  }
  if (isException) return [];
  return found.map(({ line, what }) => ({
    file,
    line,
    imported: "",
    why: `\`${what}\` is raw async code in a module that is written in Effect`,
    remedy:
      "use Effect.gen, Effect.promise or Effect.callback, or add the file with a reason to scripts/raw-async.ts",
  }));
};

/** Checks every file under `source` against the import order. Test files may import anything. */
export const checkModules = (source: string): readonly Violation[] => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !isTest(file))
    .sort();
  const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
  const edges = files.flatMap((from) =>
    readImports(texts.get(from)!)
      .filter(({ specifier }) => specifier.startsWith(".") || /^haft(\/|$)/.test(specifier))
      .map((found): Edge => ({ ...found, from, to: posix.join(posix.dirname(from), found.specifier) })),
  );
  const unknown = files
    .filter((file) => moduleOf(file) === undefined)
    .map((file) => ({ file, line: 1, imported: "", ...unknownModule(file) }));
  const refused = edges.flatMap((edge) => {
    const found = findViolation(edge);
    return found === undefined
      ? []
      : [{ file: edge.from, line: edge.line, imported: edge.specifier, ...found }];
  });
  const raw = files.flatMap((file) => findRawAsync(file, texts.get(file)!));
  return [...unknown, ...refused, ...findCycles(edges), ...raw];
};

if (import.meta.main) {
  const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
  const violations = checkModules(source);
  if (readFlags({ "--json": "print the violations as JSON" }).has("--json"))
    console.log(JSON.stringify(violations, null, 2));
  else {
    for (const { file, line, imported, why, remedy } of violations) {
      console.log(
        `src/${file}:${line}${imported === "" ? "" : ` imports "${imported}"`}: ${why}.\n  ${remedy}.`,
      );
    }
    console.log(
      violations.length === 0
        ? "modules: every import follows the order, and modules written in Effect have no raw async code"
        : `modules: ${violations.length} violations`,
    );
  }
  if (violations.length > 0) process.exitCode = 1;
}
