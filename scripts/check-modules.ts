import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";
import { promiseFaces, promiseRooms, readRawAsync } from "./raw-async.ts";
import { type ImportKind, readImports } from "./read-imports.ts";

/** A room imports only rooms before it, types included. */
export const rooms = [
  "words",
  "text",
  "platform",
  "json",
  "schema",
  "http",
  "credentials",
  "tool",
  "gram",
  "policy",
  "catalog",
  "selection",
  "layers",
  "otel",
  "call",
  "ledger",
  "dialects",
  "models",
  "agent",
  "experiment",
  "sandbox",
  "mcp",
  "skills",
  "runtime",
  "bridges",
  "ui",
  "fleet",
  "gateway",
  "studio",
  "server",
  "testing",
  "cli",
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

const order = new Map<string, number>(rooms.map((room, index) => [room, index]));
const roomOf = (file: string): string | undefined => (file.includes("/") ? file.split("/")[0] : undefined);
/** Where stages are put together: the corridor, and what goes on with a call once a person has answered. */
const composers: ReadonlySet<string> = new Set(["call", "call/pending"]);

const stageOf = (file: string): string | undefined => file.match(/^call\/(\d-[^/]+)\//)?.[1];
const isTest = (file: string): boolean => /\.test(-d)?\.ts$/.test(file);

const objection = (edge: Edge): Pick<Violation, "why" | "remedy"> | undefined => {
  const { from, to } = edge;
  const room = roomOf(from);
  if (/^haft(\/|$)/.test(edge.specifier)) {
    return { why: "nothing inside imports a door", remedy: "import the file behind the door" };
  }
  if (to.startsWith("..")) {
    return { why: "it lies outside of src/", remedy: "move what is needed into a room" };
  }
  if (roomOf(to) === undefined) {
    return { why: "nothing imports a door", remedy: "import the file behind the door" };
  }
  if (room === undefined) return undefined;
  const there = roomOf(to)!;
  if (!order.has(there)) {
    return {
      why: `${there}/ is no room`,
      remedy: "name it in scripts/check-rooms.ts, where it belongs in the order",
    };
  }
  if (order.has(room) && order.get(there)! > order.get(room)!) {
    return {
      why: `${there}/ comes after ${room}/, and a room imports only rooms before it, types included`,
      remedy: "put what both need into words/ or an earlier room, or pass it in as a value",
    };
  }
  const stage = stageOf(to);
  if (stage === undefined || stage === stageOf(from)) return undefined;
  if (stageOf(from) !== undefined) {
    return { why: "stages never import each other", remedy: "pass a value through call/call.ts" };
  }
  return composers.has(posix.dirname(from))
    ? undefined
    : {
        why: `only call/*.ts and call/pending/*.ts import the stage ${stage}`,
        remedy: "go through call/call.ts",
      };
};

/** The shortest way from a file back to itself. */
const cycleThrough = (
  start: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
): readonly Edge[] | undefined => {
  const cameBy = new Map<string, Edge>();
  const queue = [start];
  for (const file of queue) {
    for (const edge of edges.get(file) ?? []) {
      if (cameBy.has(edge.to)) continue;
      cameBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  const path: Edge[] = [];
  for (let edge = cameBy.get(start); edge !== undefined; edge = cameBy.get(edge.from)) {
    path.unshift(edge);
    if (edge.from === start) return path;
  }
  return undefined;
};

/**
 * Cycles between files of one room, over imports that are evaluated when a file loads. Types may
 * refer to each other: a call knows its tool, a tool its layers, and a layer its call.
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

/** In rooms whose work is Effects nothing is raw async, but for the files that are named with their reason. */
const findRawAsync = (file: string, text: string): readonly Violation[] => {
  const room = roomOf(file);
  const found = room === undefined || promiseRooms.has(room) ? [] : readRawAsync(text);
  const isFace = Object.hasOwn(promiseFaces, file);
  if (isFace && found.length === 0) {
    const why = "it is excepted from being free of raw async, and has none";
    return [{ file, line: 1, imported: "", why, remedy: "take it off the list in scripts/raw-async.ts" }];
  }
  if (isFace) return [];
  return found.map(({ line, what }) => ({
    file,
    line,
    imported: "",
    why: `\`${what}\` is raw async, and from words/ to agent/ work is an Effect`,
    remedy:
      "use Effect.gen, Effect.promise or Effect.callback; a face that must be a promise is named with its reason in scripts/raw-async.ts",
  }));
};

/** Holds every file under `source` against the order of the rooms. Test files may import anything. */
export const checkRooms = (source: string): readonly Violation[] => {
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
  const strangers = [...new Set(files.map(roomOf))]
    .filter((room) => room !== undefined && !order.has(room))
    .map((room) => ({
      file: files.find((file) => roomOf(file) === room)!,
      line: 1,
      imported: "",
      why: `${room}/ is no room`,
      remedy: "name it in scripts/check-rooms.ts, where it belongs in the order",
    }));
  const refused = edges.flatMap((edge) => {
    const found = objection(edge);
    return found === undefined
      ? []
      : [{ file: edge.from, line: edge.line, imported: edge.specifier, ...found }];
  });
  const raw = files.flatMap((file) => findRawAsync(file, texts.get(file)!));
  return [...strangers, ...refused, ...findCycles(edges), ...raw];
};

if (import.meta.main) {
  const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
  const violations = checkRooms(source);
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
        ? "rooms: every import follows the order, and nothing before the doors is raw async"
        : `rooms: ${violations.length} wrong`,
    );
  }
  if (violations.length > 0) process.exitCode = 1;
}
