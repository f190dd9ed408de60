export interface Module {
  /** The files and the packages that it imports at once. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
  readonly bytes: number;
}

/** By file. */
export type Modules = ReadonlyMap<string, Module>;

const vendors = ["openai", "anthropic", "ollama", "gemini", "ai-sdk"];

/**
 * Every file that is loaded costs a third of a millisecond, whatever is in it, so what starts together is one file.
 * What the root loads is three: what its small doors need, what its large doors need, and the rest.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: ["layers", "ledger", "otel", "testing"],
  schema: ["agent", "cedar", "gram", "mcp", "models", ...vendors.map((vendor) => `models/${vendor}`)],
  core: ["index", "sandbox"],
};

interface Later {
  /** The modules that are asked for. */
  readonly heads: readonly string[];
  /** Rooms that may load it for a part: they nearly always run where it is loaded already. */
  readonly rooms?: readonly string[];
}

/** What is loaded later. */
const later: Readonly<Record<string, Later>> = {
  // Megabytes of numbers, which nobody wants to read in a source map: see `withoutMap` in `scripts/build.ts`.
  vocabulary: { heads: ["selection/vocabulary/packed.ts"] },
  selection: {
    heads: ["runtime/search-offer.ts", "agent/tool-search/agent-index.ts"],
    rooms: ["selection", "studio"],
  },
  "going-on": {
    heads: [
      "call/pending/resume-call.ts",
      "call/recover.ts",
      "call/pending/ask-again.ts",
      "call/would-ask.ts",
    ],
  },
  media: {
    heads: [
      "json/read-part.ts",
      "call/6-check/check-parts.ts",
      "dialects/media/read-media.ts",
      "dialects/media/move-media.ts",
    ],
    rooms: ["agent", "bridges", "dialects", "gateway", "mcp", "models", "ui"],
  },
  vendors: {
    heads: [
      "models/answer-nulls.ts",
      "dialects/messages-for-vendor.ts",
      "dialects/object-arguments.ts",
      "dialects/call-namer.ts",
    ],
    rooms: ["dialects", "models"],
  },
  open: { heads: ["policy/policy.ts", "runtime/read-options.ts"], rooms: ["cli"] },
  ledger: { heads: ["ledger/open-ledger.ts", "ledger/sqlite.ts"], rooms: ["cli"] },
  mcp: { heads: ["runtime/mcp.ts"], rooms: ["mcp", "gateway", "studio", "server", "cli"] },
  gateway: { heads: ["gateway/stdio.ts"], rooms: ["gateway", "studio", "server"] },
  cli: { heads: ["cli/run-process.ts"], rooms: ["cli"] },
  postgres: {
    heads: ["ledger/postgres.ts", "ledger/beside/shared-store.ts", "ledger/beside/mail.ts"],
    rooms: ["ledger", "gateway", "fleet", "cli"],
  },
  fleet: {
    heads: ["fleet/fleet.ts", "fleet/worker.ts", "fleet/jobs.ts", "fleet/look-at.ts", "fleet/queue.ts"],
    rooms: ["fleet", "cli"],
  },
  "cli-runtime": { heads: ["cli/open-runtime.ts", "cli/open-services.ts"], rooms: ["cli"] },
  // What the command line and the Studio both do.
  operators: {
    heads: [
      "runtime/explain-call.ts",
      "agent/agent-tools.ts",
      "mcp/lock/pages-of.ts",
      "mcp/lock/review/accept.ts",
      "mcp/lock/review/compare.ts",
      "mcp/lock/stored-lock.ts",
      "mcp/lock/write-lock.ts",
    ],
    rooms: ["studio", "cli"],
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
      "worker",
    ].map((name) => `cli/commands/${name}.ts`),
    rooms: ["cli"],
  },
  "cli-more": {
    heads: ["ab", "call", "completion", "gram", "run", "tools"].map((name) => `cli/commands/${name}.ts`),
    rooms: ["cli"],
  },
  serve: { heads: ["cli/commands/serve.ts", "cli/serve/serving.ts"], rooms: ["cli"] },
  "cli-servers": { heads: ["cli/mcp/machine.ts", "cli/mcp/configured.ts"], rooms: ["cli"] },
  studio: { heads: ["studio/studio.ts"], rooms: ["studio", "server"] },
  "cli-studio": { heads: ["cli/commands/studio.ts"], rooms: ["cli"] },
  children: {
    heads: [
      "sandbox/deno/engine.ts",
      "sandbox/pyodide/engine.ts",
      "sandbox/bubblewrap/engine.ts",
      "sandbox/bubblewrap/command.ts",
    ],
    rooms: ["skills", "mcp", "cli"],
  },
  files: {
    heads: ["read-file", "write-file", "list-files", "search-files"].map((name) => `skills/files/${name}.ts`),
    rooms: ["skills"],
  },
};

/** Shared modules of so few bytes, which need nothing but the base, are one file: alone each would cost more than all. */
const small = { name: "small", later: "small-later", bytes: 5_000, needs: "base" };

/** Rooms that no door needs at once: their small modules are a file of their own. */
const ofLater = ["sandbox/", "skills/"];

/** What workers load, which needs nothing else: in a chunk with others it would bring the base along into every worker. */
const ofWorkers = "sandbox/quickjs/";

/** Which chunk a module belongs to. What has none is split by the bundler, as its importers share it. */
export const chooseChunks = (
  modules: Modules,
  source: (name: string) => string,
): ReadonlyMap<string, string> => {
  const chunks = new Map<string, string>();
  const root = loadedWith(modules, [source("index.ts")]);
  for (const [name, doors] of Object.entries(layers)) {
    const heads = doors.map((door) => source(`${door}.ts`));
    for (const file of loadedWith(modules, heads)) {
      if (root.has(file) && !chunks.has(file)) chunks.set(file, name);
    }
  }
  const importers = importersOf(modules);
  for (const [name, { heads, rooms = [] }] of Object.entries(later)) {
    const isInRoom = (file: string): boolean => rooms.some((room) => file.startsWith(source(`${room}/`)));
    const free = new Set([...loadedWith(modules, heads.map(source))].filter((file) => !chunks.has(file)));
    for (const file of ownOf(heads.map(source), free, modules, importers, isInRoom)) chunks.set(file, name);
  }
  // What the command line starts with must not bring along what all others share.
  const start = loadedWith(modules, ["cli/main.ts", "cli/run-process.ts"].map(source));
  for (const [file, { imports, packages, bytes }] of modules) {
    if (start.has(file)) continue;
    const isShared = (importers.get(file)?.length ?? 0) > 1;
    const isAlone = packages.every((each) => each.startsWith("node:") || each.startsWith("effect/"));
    const isLight = imports.every((each) => [small.needs, small.name].includes(chunks.get(each) ?? ""));
    const isApart = file.startsWith(source(ofWorkers));
    if (!chunks.has(file) && !isApart && isShared && isAlone && isLight && bytes <= small.bytes)
      chunks.set(file, ofLater.some((room) => file.startsWith(source(room))) ? small.later : small.name);
  }
  return chunks;
};

/** Without what others need who need none of the heads: they would load all the rest for nothing. */
const ownOf = (
  heads: readonly string[],
  free: ReadonlySet<string>,
  modules: Modules,
  importers: ReadonlyMap<string, readonly string[]>,
  isInRoom: (file: string) => boolean,
): ReadonlySet<string> => {
  const own = new Set(free);
  const isWelcome = (importer: string): boolean =>
    own.has(importer) ||
    isInRoom(importer) ||
    heads.some((head) => loadedWith(modules, [importer]).has(head));
  for (let size = -1; size !== own.size; ) {
    size = own.size;
    for (const file of own) {
      if (!heads.includes(file) && !importers.get(file)?.every(isWelcome)) own.delete(file);
    }
  }
  return own;
};

/** The files and all that loads with them. */
const loadedWith = (modules: Modules, files: readonly string[]): ReadonlySet<string> => {
  const loaded = new Set(files);
  for (const file of loaded) {
    const module = modules.get(file);
    if (module === undefined) throw new Error(`a chunk is made of ${file}, which is gone`);
    for (const imported of module.imports) loaded.add(imported);
  }
  return loaded;
};

const importersOf = (modules: Modules): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>();
  for (const [file, { imports }] of modules) {
    for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
  return importers;
};
