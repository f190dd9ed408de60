import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Contender, Hit } from "../contender.ts";
import { anchorFile, type DataTool, type SelectionData } from "../data.ts";

interface AnchorIndex {
  readonly post: ReadonlyMap<string, readonly number[]>;
  readonly len: readonly number[];
  readonly mean: number;
  readonly tools: readonly { readonly id: string }[];
}

interface Anchor {
  readonly index: (tools: readonly DataTool[]) => AnchorIndex;
  readonly search: (index: unknown, query: string, limit: number) => readonly Hit[];
}

/** The anchor as a contender, and its own printed results over the same data. */
export interface LoadedAnchor {
  readonly contender: Contender;
  readonly printed: readonly string[];
}

/** It measures itself when it is imported, with the data folder of its process. */
export const loadAnchor = async (data: SelectionData): Promise<LoadedAnchor> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-pick-"));
  const { argv } = process;
  const { log } = console;
  const printed: string[] = [];
  try {
    const write = (file: string, rows: readonly unknown[]): void =>
      writeFileSync(join(folder, file), rows.map((row) => JSON.stringify(row)).join("\n"));
    write("tools.jsonl", data.tools);
    write("queries.jsonl", data.queries);
    write("queries-no-tool.jsonl", data.none);
    process.argv = [argv[0]!, anchorFile, folder];
    console.log = (line: string) => printed.push(line);
    const anchor = (await import(pathToFileURL(anchorFile).href)) as Anchor;
    return { contender: contenderOf(anchor), printed };
  } finally {
    process.argv = argv;
    console.log = log;
    rmSync(folder, { recursive: true });
  }
};

const contenderOf = (anchor: Anchor): Contender => ({
  name: "anchor",
  open: (tools) => {
    const pool = anchor.index(tools);
    const places = new Map(tools.map(({ id }, place) => [id, place]));
    return {
      search: (query, limit) => anchor.search(pool, query, limit),
      bestAmong: (query, ids) => anchor.search(among(pool, places, ids), query, 1)[0]?.[1] ?? 0,
    };
  },
});

/** The index restricted to a few tools: lengths relative to the mean of all, word counts among the few. */
const among = (pool: AnchorIndex, places: ReadonlyMap<string, number>, ids: readonly string[]) => {
  const chosen = ids.flatMap((id) => places.get(id) ?? []);
  const want = new Map(chosen.map((place, at) => [place, at]));
  const get = (word: string): readonly number[] | undefined => {
    const all = pool.post.get(word);
    if (all === undefined) return undefined;
    const few: number[] = [];
    for (let at = 0; at < all.length; at += 2) {
      const place = want.get(all[at]!);
      if (place !== undefined) few.push(place, all[at + 1]!);
    }
    return few;
  };
  return {
    post: { get },
    len: chosen.map((place) => pool.len[place]!),
    mean: pool.mean,
    tools: chosen.map((place) => pool.tools[place]!),
  };
};
