import { entryFile } from "./entry-file.ts";
export interface BundledModule {
  /** Files and packages that it imports statically. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
  readonly bytes: number;
}

/** By file. */
export type BundledModules = ReadonlyMap<string, BundledModule>;

const vendors = ["openai", "anthropic", "ollama", "gemini", "ai-sdk"];

/**
 * Every loaded file costs a third of a millisecond regardless of its size, so modules that load together
 * share a file. The root loads three: modules of its small entry points, those of its large ones, and the
 * rest.
 */
const sharedChunks: Readonly<Record<string, readonly string[]>> = {
  base: ["layers", "ledger", "otel", "testing"],
  schema: ["agent", "cedar", "gram", "mcp", "models", ...vendors.map((vendor) => `models/${vendor}`)],
  core: ["index", "sandbox"],
};

interface LazyChunk {
  /** The modules that are imported dynamically. */
  readonly heads: readonly string[];
  /** Modules that load a part of it: they nearly always run where it is loaded already. */
  readonly folders?: readonly string[];
}

/** Chunks that are loaded lazily. */
const lazyChunks: Readonly<Record<string, LazyChunk>> = {
  // Megabytes of numbers, which are left out of source maps: see `withoutAuthors` in `scripts/build.ts`.
  vocabulary: { heads: ["registry/selection/vocabulary/packed.ts"] },
  selection: {
    heads: ["runtime/search-offer.ts", "registry/selection/owner-index.ts"],
    folders: ["registry/selection", "server/studio-api"],
  },
  "going-on": {
    heads: [
      "pipeline/pending/resume-call.ts",
      "pipeline/pending/wake-run-if-answered.ts",
      "pipeline/recover.ts",
      "pipeline/pending/poll-pending-call.ts",
      "pipeline/requires-approval.ts",
      "pipeline/effect-key.ts",
      "pipeline/reconcile.ts",
      "pipeline/settle.ts",
      "pipeline/envelope-call.ts",
      "pipeline/1-hydrate/request-repair.ts",
      "pipeline/3-authorize/find-repeat-reason.ts",
      "pipeline/pending/apply-decision.ts",
      "pipeline/pending/describe-earlier-call.ts",
      "pipeline/pending/earlier-call-note.ts",
      "ledger/memory/settle.ts",
      "runtime/caller-queries.ts",
    ],
  },
  agents: {
    heads: ["agent/agents.ts"],
    folders: ["agent", "runtime", "fleet", "server/chat", "server/studio-api"],
  },
  media: {
    heads: [
      "base/json/read-part.ts",
      "pipeline/6-check/check-parts.ts",
      "models/dialects/media/read-media.ts",
      "models/dialects/media/move-media.ts",
    ],
    folders: ["agent", "integrations", "mcp", "models", "server/chat", "server/gateway", "tools/openapi"],
  },
  vendors: {
    heads: [
      "models/with-answer-nulls.ts",
      "models/dialects/to-vendor-messages.ts",
      "models/dialects/to-object-arguments.ts",
    ],
    folders: ["models"],
  },
  open: {
    heads: [
      "base/http/open-http-egress.ts",
      "policy/policy.ts",
      "policy/delegation-chain.ts",
      "runtime/policy-watcher.ts",
      "runtime/prepare-registry.ts",
      "runtime/check-options.ts",
      "runtime/open-private-tools.ts",
      "runtime/warn-unannotated.ts",
    ],
    folders: ["cli"],
  },
  ledger: { heads: ["ledger/open-durable-ledger.ts", "ledger/sqlite-database.ts"], folders: ["cli"] },
  mcp: {
    heads: ["runtime/mcp-services.ts"],
    folders: ["mcp", "server/gateway", "server/http", "server/studio-api", "cli"],
  },
  gateway: {
    heads: ["server/gateway/serve-stdio.ts"],
    folders: ["server/gateway", "server/http", "server/studio-api"],
  },
  cli: { heads: ["cli/run-process.ts"], folders: ["cli"] },
  postgres: {
    heads: ["ledger/postgres-database.ts", "ledger/postgres-messaging/shared-store.ts"],
    folders: ["ledger", "server/gateway", "fleet", "cli"],
  },
  fleet: {
    heads: [
      "fleet/fleet.ts",
      "fleet/open-worker.ts",
      "fleet/run-jobs.ts",
      "fleet/read-fleet-overview.ts",
      "fleet/open-queue.ts",
    ],
    folders: ["fleet", "cli"],
  },
  "cli-runtime": { heads: ["cli/open-runtime.ts", "cli/open-services.ts"], folders: ["cli"] },
  // Shared by the command line and the Studio.
  operators: {
    heads: [
      "runtime/explain-call.ts",
      "agent/collect-agent-tools.ts",
      "mcp/lock/read-page-hashes.ts",
      "mcp/lock/review/accept-review.ts",
      "mcp/lock/review/compare-lock.ts",
      "mcp/lock/stored-lock.ts",
      "mcp/lock/write-lock.ts",
    ],
    folders: ["server/studio-api", "cli"],
  },
  "cli-books": {
    heads: [
      "approvals",
      "approve",
      "deny",
      "explain",
      "fleet",
      "ledger",
      "log",
      "replay",
      "resume",
      "runs",
      "settle",
      "worker",
    ].map((name) => `cli/commands/${name}.ts`),
    folders: ["cli"],
  },
  "cli-more": {
    heads: ["ab", "call", "completion", "gram", "run", "tools"].map((name) => `cli/commands/${name}.ts`),
    folders: ["cli"],
  },
  serve: { heads: ["cli/commands/serve.ts", "cli/serve/gateway-runtime.ts"], folders: ["cli"] },
  "cli-servers": {
    heads: ["cli/mcp/discover-servers.ts", "cli/mcp/configured-servers.ts"],
    folders: ["cli"],
  },
  studio: { heads: ["server/studio-api/studio.ts"], folders: ["server/http", "server/studio-api"] },
  "cli-studio": { heads: ["cli/commands/studio.ts"], folders: ["cli"] },
  children: {
    heads: [
      "sandbox/deno/engine.ts",
      "sandbox/pyodide/engine.ts",
      "sandbox/bubblewrap/engine.ts",
      "sandbox/bubblewrap/run-sandboxed-command.ts",
    ],
    folders: ["sandbox/skills", "mcp", "cli"],
  },
  files: {
    heads: ["file-reader", "file-writer", "file-lister", "file-searcher"].map(
      (name) => `sandbox/skills/files/${name}.ts`,
    ),
    folders: ["sandbox/skills"],
  },
};

/** Shared modules below this size that need only the base are one file: separate files would cost more. */
const smallChunk = { name: "small", later: "small-later", bytes: 5_000, needs: "base" };

/** Modules that no entry point needs at once: their small files share one. */
const lazyFolders = ["sandbox/"];

/** Loaded by workers without other dependencies: a shared chunk would load the base in every worker. */
const workerFolder = "sandbox/quickjs/";

/** Chooses the chunk of a module. Others are split by the bundler by their importers. */
export const chooseChunks = (
  modules: BundledModules,
  source: (name: string) => string,
): ReadonlyMap<string, string> => {
  // The command line checks the version before it loads anything that an older Node cannot read.
  const chunks = new Map([[source("base/platform/node-version.ts"), "node-version"]]);
  const root = loadedModules(modules, [source("exports/index.ts")]);
  for (const [name, entries] of Object.entries(sharedChunks)) {
    const heads = entries.map((entry) => source(`${entryFile(entry)}.ts`));
    for (const file of loadedModules(modules, heads)) {
      if (root.has(file) && !chunks.has(file)) chunks.set(file, name);
    }
  }
  const importers = importersOf(modules);
  for (const [name, { heads, folders = [] }] of Object.entries(lazyChunks)) {
    const isInFolders = (file: string): boolean =>
      folders.some((folder) => file.startsWith(source(`${folder}/`)));
    const free = new Set([...loadedModules(modules, heads.map(source))].filter((file) => !chunks.has(file)));
    for (const file of exclusiveModules(heads.map(source), free, modules, importers, isInFolders))
      chunks.set(file, name);
  }
  // The start of the command line must not load what all others share.
  const start = loadedModules(modules, ["cli/main.ts", "cli/run-process.ts"].map(source));
  for (const [file, { imports, packages, bytes }] of modules) {
    if (start.has(file)) continue;
    const isShared = (importers.get(file)?.length ?? 0) > 1;
    const needsNoPackages = packages.every((each) => each.startsWith("node:") || each.startsWith("effect/"));
    const needsOnlyBase = imports.every((each) =>
      [smallChunk.needs, smallChunk.name].includes(chunks.get(each) ?? ""),
    );
    const isApart = file.startsWith(source(workerFolder));
    if (
      !chunks.has(file) &&
      !isApart &&
      isShared &&
      needsNoPackages &&
      needsOnlyBase &&
      bytes <= smallChunk.bytes
    )
      chunks.set(
        file,
        lazyFolders.some((folder) => file.startsWith(source(folder))) ? smallChunk.later : smallChunk.name,
      );
  }
  return chunks;
};

/** Excludes modules that are also needed without the heads: their importers would load the whole chunk. */
const exclusiveModules = (
  heads: readonly string[],
  free: ReadonlySet<string>,
  modules: BundledModules,
  importers: ReadonlyMap<string, readonly string[]>,
  isInFolders: (file: string) => boolean,
): ReadonlySet<string> => {
  const own = new Set(free);
  const isWelcome = (importer: string): boolean =>
    own.has(importer) ||
    isInFolders(importer) ||
    heads.some((head) => loadedModules(modules, [importer]).has(head));
  for (let size = -1; size !== own.size; ) {
    size = own.size;
    for (const file of own) {
      if (!heads.includes(file) && !importers.get(file)?.every(isWelcome)) own.delete(file);
    }
  }
  return own;
};

/** The files and everything that loads with them. */
const loadedModules = (modules: BundledModules, files: readonly string[]): ReadonlySet<string> => {
  const loaded = new Set(files);
  for (const file of loaded) {
    const module = modules.get(file);
    if (module === undefined) throw new Error(`a chunk contains ${file}, which does not exist`);
    for (const imported of module.imports) loaded.add(imported);
  }
  return loaded;
};

const importersOf = (modules: BundledModules): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>();
  for (const [file, { imports }] of modules) {
    for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
  return importers;
};
