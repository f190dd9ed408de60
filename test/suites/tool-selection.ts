import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toolIndex } from "../../src/registry/selection/tool-index.ts";
import type { ToolSpec } from "../../src/types/tool.ts";
import type { Score } from "./suite.ts";

export const name = "tool selection";

/** The share of required tools that are among the first five of their catalogue. */
export const floor = 0.79;

interface ForeignTool {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parameters: ToolSpec["input"] | null;
  readonly source: string;
}

interface ForeignQuestion {
  readonly query: string;
  readonly relevant: readonly string[];
  readonly relevantGroups?: readonly (readonly string[])[];
  readonly source: string;
}

const rowsOf = async <Row>(file: string): Promise<readonly Row[]> =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const toSpec = ({ name: called, description, parameters }: ForeignTool): ToolSpec =>
  ({
    name: called,
    description: description ?? "",
    input: parameters ?? { type: "object" },
    tags: [],
    annotations: {},
    risk: "low",
  }) as unknown as ToolSpec;

/** Every query has the same weight, whatever number of tools it needs. */
export const run = async (dataDir: string): Promise<Score> => {
  const folder = join(dataDir, "tool-selection");
  const tools = await rowsOf<ForeignTool>(join(folder, "tools.jsonl"));
  const questions = await rowsOf<ForeignQuestion>(join(folder, "queries.jsonl"));
  const bySource = new Map<string, { found: number; asked: number }>();
  for (const source of new Set(questions.map((question) => question.source))) {
    const index = toolIndex();
    for (const tool of tools) if (tool.source === source) index.add(tool.id, toSpec(tool));
    const sum = { found: 0, asked: 0 };
    for (const { query, relevant, relevantGroups, source: own } of questions) {
      if (own !== source) continue;
      const first = new Set(index.search(query, { limit: 5 }).map(({ key }) => key));
      const needed = relevantGroups ?? relevant.map((id) => [id]);
      sum.found += needed.filter((group) => group.some((id) => first.has(id))).length / needed.length;
      sum.asked++;
    }
    bySource.set(source, sum);
  }
  const sums = [...bySource.values()];
  const total = sums.reduce((all, { asked }) => all + asked, 0);
  const right = Math.round(sums.reduce((all, { found }) => all + found, 0));
  const macro = sums.reduce((all, { found, asked }) => all + found / asked, 0) / sums.length;
  const shares = [...bySource].map(([source, { found, asked }]) => `${source} ${(found / asked).toFixed(3)}`);
  return { right, wrong: 0, total, notes: [`macro R@5 ${macro.toFixed(3)}`, ...shares] };
};
