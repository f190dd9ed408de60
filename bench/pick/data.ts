import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonSchema } from "../../src/types/json.ts";
import { seeded } from "./seeded.ts";

/** A tool of the data. */
export interface DataTool {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonSchema | null;
  readonly source: string;
}

/** A query, its relevant tools, and its candidates. */
export interface DataQuery {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly relevantGroups?: readonly (readonly string[])[];
  readonly candidates?: readonly string[];
  readonly source: string;
}

export interface SelectionData {
  readonly tools: readonly DataTool[];
  readonly queries: readonly DataQuery[];
  /** Queries without a relevant tool among their candidates. */
  readonly none: readonly DataQuery[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const shared = process.env.HAFT_SUITES ?? join(root, "../shared/data");

/** Folder of the data, which is not part of this repository. */
export const dataFolder = join(shared, "tool-selection");
export const anchorFile = join(shared, "../bench/bm25.mjs");

export const isDataThere = (): boolean => existsSync(join(dataFolder, "tools.jsonl"));

const rows = <Row>(file: string): readonly Row[] =>
  readFileSync(join(dataFolder, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

export const readData = (): SelectionData => ({
  tools: rows<DataTool>("tools.jsonl"),
  queries: rows<DataQuery>("queries.jsonl"),
  none: rows<DataQuery>("queries-no-tool.jsonl"),
});

/** A deterministic sample of the queries with all tools. */
export const sampleOf = (data: SelectionData, count: number): SelectionData => {
  const share = count / (data.queries.length + data.none.length);
  const some = (all: readonly DataQuery[], seed: number): readonly DataQuery[] => {
    const next = seeded(seed);
    const order = new Map(all.map((query) => [query, next()]));
    const chosen = new Set(
      all
        .toSorted((one, other) => order.get(one)! - order.get(other)!)
        .slice(0, Math.round(all.length * share)),
    );
    return all.filter((query) => chosen.has(query));
  };
  return { tools: data.tools, queries: some(data.queries, 1), none: some(data.none, 2) };
};

/** The needs of a query: each group is one needed tool, and any member of it is sufficient. */
export const needsOf = (query: DataQuery): readonly (readonly string[])[] =>
  query.relevantGroups ?? query.relevant.map((id) => [id]);
