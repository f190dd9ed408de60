/** What each module imports at once, by file. */
export type Imports = ReadonlyMap<string, readonly string[]>;

const vendors = ["openai", "anthropic", "ollama", "gemini", "ai-sdk"];

/**
 * Every file that is loaded costs a third of a millisecond, whatever is in it, so what starts together is one file.
 * What the root loads is three: what its small doors need, what its large doors need, and the rest.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: ["layers", "ledger", "otel", "testing"],
  schema: ["agent", "cedar", "gram", "mcp", "models", ...vendors.map((vendor) => `models/${vendor}`)],
  core: ["index"],
};

interface Later {
  /** The modules that are asked for. */
  readonly heads: readonly string[];
  /** Rooms that may load it for a part: they nearly always run where it is loaded already. */
  readonly rooms?: readonly string[];
}

/** What is loaded later. */
const later: Readonly<Record<string, Later>> = {
  open: { heads: ["policy/policy.ts", "runtime/read-options.ts"], rooms: ["cli"] },
  ledger: { heads: ["ledger/open-ledger.ts", "ledger/sqlite.ts"], rooms: ["cli"] },
  mcp: { heads: ["runtime/mcp.ts"], rooms: ["mcp", "gateway", "server", "cli"] },
  gateway: { heads: ["gateway/stdio.ts"], rooms: ["gateway", "server"] },
  cli: { heads: ["cli/run-process.ts"], rooms: ["cli"] },
  "cli-runtime": { heads: ["cli/open-runtime.ts", "cli/open-services.ts"], rooms: ["cli"] },
  serve: { heads: ["cli/commands/serve.ts", "cli/serve/serving.ts"], rooms: ["cli"] },
};

/** Which chunk a module belongs to. What has none is split by the bundler, as its importers share it. */
export const chooseChunks = (
  imports: Imports,
  source: (name: string) => string,
): ReadonlyMap<string, string> => {
  const chunks = new Map<string, string>();
  const root = loadedWith(imports, [source("index.ts")]);
  for (const [name, doors] of Object.entries(layers)) {
    for (const file of loadedWith(
      imports,
      doors.map((door) => source(`${door}.ts`)),
    )) {
      if (root.has(file) && !chunks.has(file)) chunks.set(file, name);
    }
  }
  const importers = importersOf(imports);
  for (const [name, { heads, rooms = [] }] of Object.entries(later)) {
    const files = heads.map(source);
    const missing = files.find((file) => !imports.has(file));
    if (missing !== undefined) throw new Error(`the chunk ${name} begins with ${missing}, which is gone`);
    const own = new Set([...loadedWith(imports, files)].filter((file) => !chunks.has(file)));
    const isWelcome = (importer: string): boolean =>
      own.has(importer) ||
      rooms.some((room) => importer.startsWith(source(`${room}/`))) ||
      files.some((file) => loadedWith(imports, [importer]).has(file));
    // Whoever needs one of them and none of the heads would load all the others for nothing.
    for (let size = -1; size !== own.size; ) {
      size = own.size;
      for (const file of own) {
        if (!files.includes(file) && !importers.get(file)?.every(isWelcome)) own.delete(file);
      }
    }
    for (const file of own) chunks.set(file, name);
  }
  return chunks;
};

/** The files and all that loads with them. */
const loadedWith = (imports: Imports, files: readonly string[]): ReadonlySet<string> => {
  const loaded = new Set(files);
  for (const file of loaded) for (const imported of imports.get(file) ?? []) loaded.add(imported);
  return loaded;
};

const importersOf = (imports: Imports): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>();
  for (const [file, imported] of imports) {
    for (const each of imported) importers.set(each, [...(importers.get(each) ?? []), file]);
  }
  return importers;
};
