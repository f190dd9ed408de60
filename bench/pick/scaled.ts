import { insert, insertMultiple, remove } from "@orama/orama";
import { Haft, tool } from "../../dist/index.js";
import { toolIndex } from "../../src/registry/selection/tool-index.ts";
import type { ToolSpec } from "../../src/types/tool.ts";
import { specOf } from "./contenders/haft.ts";
import { documentOf, minisearchIndex } from "./contenders/minisearch.ts";
import { oramaIndex, oramaSearch } from "./contenders/orama.ts";
import type { DataTool } from "./data.ts";
import { hiddenTools } from "./repeated.ts";

/** A contender of the scale test: `open` prepares a program, `fill` makes its tools searchable. */
export interface Scaled {
  readonly open: (tools: readonly DataTool[]) => unknown;
  readonly fill: () => unknown;
  readonly search: (query: string, limit: number) => unknown;
  readonly add: (tool: DataTool) => unknown;
  readonly remove: (tool: DataTool) => unknown;
}

/** Through the runtime: its registry, and a policy that hides some of the tools. */
const throughHaft = (): Scaled => {
  let tools: readonly ReturnType<typeof toTool>[] = [];
  const opening = Haft.open({
    config: { registry: { maxTools: 200_000 } },
    principal: { agent: "bench", allow: ["*"] },
    policy: {
      rules: [
        { effect: "allow", tools: ["*"] },
        { effect: "deny", tools: [hiddenTools] },
      ],
    },
  });
  let haft: Awaited<typeof opening> | undefined;
  return {
    open: async (all) => {
      haft = await opening;
      tools = all.map(toTool);
    },
    fill: () => {
      for (const one of tools) haft!.register(one);
    },
    search: (query, maxCandidates) => haft!.pick(query, { maxCandidates, minScore: 0, allowUnsafe: true }),
    add: (one) => haft!.register(toTool(one)),
    remove: ({ name }) => haft!.unregister(name),
  };
};

const toTool = ({ name, description, parameters }: DataTool) => {
  const rest = { name, description: description?.trim() || name, run: () => null };
  try {
    return tool({ ...rest, input: parameters ?? { type: "object" } });
  } catch {
    // Some schemas of the data are invalid, and Haft rejects them.
    return tool({ ...rest, input: { type: "object" } });
  }
};

const index = (): Scaled => {
  const all = toolIndex();
  let specs: readonly (readonly [string, ToolSpec])[] = [];
  return {
    open: (tools) => {
      specs = tools.map((each) => [each.id, specOf(each)]);
    },
    fill: () => {
      for (const [id, spec] of specs) all.add(id, spec);
    },
    search: (query, limit) => all.search(query, { limit, isAllowed: (key) => !key.startsWith("x_") }),
    add: (one) => all.add(one.id, specOf(one)),
    remove: ({ id }) => all.remove(id),
  };
};

const minisearch = (): Scaled => {
  const all = minisearchIndex();
  let documents: readonly ReturnType<typeof documentOf>[] = [];
  return {
    open: (tools) => {
      documents = tools.map(documentOf);
    },
    fill: () => all.addAll(documents),
    search: (query, limit) =>
      all.search(query, { filter: ({ id }) => !(id as string).startsWith("x_") }).slice(0, limit),
    add: (one) => all.add(documentOf(one)),
    remove: ({ id }) => all.discard(id),
  };
};

const orama = (): Scaled => {
  const all = oramaIndex();
  let documents: ReturnType<typeof documentOf>[] = [];
  return {
    open: (tools) => {
      documents = tools.map(documentOf);
    },
    fill: () => insertMultiple(all, documents, 1000),
    search: (query, limit) => oramaSearch(all, query, limit),
    add: (one) => insert(all, documentOf(one)),
    remove: ({ id }) => remove(all, id),
  };
};

export const scaled: Readonly<Record<string, () => Scaled>> = {
  "haft.pick": throughHaft,
  toolIndex: index,
  minisearch,
  orama,
};

export const isScaled = (name: string): name is keyof typeof scaled => name in scaled;
