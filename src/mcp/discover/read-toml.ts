import type { JsoncReading } from "./read-jsonc.ts";
import { TomlText } from "./toml-text.ts";

type Table = Map<string, unknown>;

/** Tables that were opened by a header of their own, or belong to a list. */
interface Known {
  readonly headed: Set<Table>;
  readonly closed: Set<Table>;
}

/**
 * TOML 1.0, as far as settings need it: dates stay texts. What does not follow the rules is refused by its place,
 * never guessed at, since a command is read out of it.
 */
export const readToml = (text: string): JsoncReading => {
  const source = new TomlText(text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text);
  try {
    return { ok: true, value: toObject(document(source)) };
  } catch {
    return { ok: false, ...source.place() };
  }
};

const document = (source: TomlText): Table => {
  const root: Table = new Map();
  const known: Known = { headed: new Set(), closed: new Set() };
  let table = root;
  for (source.skipLines(); !source.isOver(); source.skipLines()) {
    if (source.take("[[")) {
      const path = source.path();
      source.expect("]]");
      table = openItem(root, path, known);
    } else if (source.take("[")) {
      const path = source.path();
      source.expect("]");
      table = openTable(root, path, known);
    } else member(source, table, known);
    source.endLine();
  }
  return root;
};

const member = (source: TomlText, table: Table, known: Known): void => {
  const path = source.path();
  source.expect("=");
  const last = path.at(-1)!;
  const into = descend(table, path.slice(0, -1), known);
  if (into.has(last)) throw new Error("twice");
  into.set(last, value(source, known));
};

const value = (source: TomlText, known: Known, depth = 0): unknown => {
  if (depth > 64) throw new Error("deep");
  source.skipSpace();
  if (source.take("[")) return list(source, known, depth);
  if (!source.take("{")) return source.plainValue();
  const table: Table = new Map();
  known.closed.add(table);
  source.skipSpace();
  if (source.take("}")) return table;
  for (;;) {
    const path = source.path();
    source.expect("=");
    const into = path.slice(0, -1).reduce(inner, table);
    if (into.has(path.at(-1)!)) throw new Error("twice");
    into.set(path.at(-1)!, value(source, known, depth + 1));
    source.skipSpace();
    if (source.take("}")) return table;
    source.expect(",");
  }
};

/** A table of an inline table's dotted key. */
const inner = (table: Table, step: string): Table => {
  const found = table.get(step) ?? new Map();
  if (!(found instanceof Map)) throw new Error("no table");
  table.set(step, found);
  return found as Table;
};

const list = (source: TomlText, known: Known, depth: number): readonly unknown[] => {
  const items: unknown[] = [];
  for (;;) {
    source.skipLines();
    if (source.take("]")) return Object.freeze(items);
    items.push(value(source, known, depth + 1));
    source.skipLines();
    if (source.take("]")) return Object.freeze(items);
    source.expect(",");
  }
};

const descend = (from: Table, path: readonly string[], { closed }: Known): Table => {
  let table = from;
  for (const step of path) {
    const found = table.get(step);
    const next = Array.isArray(found) && !Object.isFrozen(found) ? found.at(-1) : (found ?? new Map());
    if (!(next instanceof Map) || closed.has(next as Table)) throw new Error("no table");
    if (found === undefined) table.set(step, next);
    table = next as Table;
  }
  return table;
};

const openTable = (root: Table, path: readonly string[], known: Known): Table => {
  const table = descend(root, path, known);
  if (known.headed.has(table)) throw new Error("twice");
  known.headed.add(table);
  return table;
};

const openItem = (root: Table, path: readonly string[], known: Known): Table => {
  const into = descend(root, path.slice(0, -1), known);
  const items = into.get(path.at(-1)!) ?? [];
  if (!Array.isArray(items) || Object.isFrozen(items)) throw new Error("no list");
  const table: Table = new Map();
  items.push(table);
  into.set(path.at(-1)!, items);
  known.headed.add(table);
  return table;
};

const toObject = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toObject);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...(value as Table)].map(([key, each]) => [key, toObject(each)]));
};
