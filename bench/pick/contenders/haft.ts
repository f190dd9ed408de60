import { toolIndex } from "../../../src/registry/selection/tool-index.ts";
import type { ToolSpec } from "../../../src/types/tool.ts";
import type { Contender } from "../contender.ts";
import type { DataTool } from "../data.ts";

/** A spec with only the properties of the data. */
export const specOf = ({ name, description, parameters }: DataTool): ToolSpec =>
  Object.freeze({
    name,
    description: description ?? "",
    input: Object.freeze(parameters ?? { type: "object" }),
    category: "custom",
    risk: "low",
    requiresApproval: false,
    source: "function",
    tags: Object.freeze([]),
    annotations: {},
    validate: "strict",
    strict: false,
  });

/** The index of `haft.pick` with its own scores. */
export const haft: Contender = {
  name: "haft",
  open: (tools) => {
    const index = toolIndex();
    for (const tool of tools) index.add(tool.id, specOf(tool));
    return {
      search: (query, limit) => index.search(query, { limit }).map(({ key, score }) => [key, score]),
      bestAmong: (query, ids) => {
        const allowed = new Set(ids);
        return index.search(query, { limit: 1, isAllowed: (key) => allowed.has(key) })[0]?.score ?? 0;
      },
    };
  },
};
