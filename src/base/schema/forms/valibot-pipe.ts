import type { JsonSchema } from "../../../types/json.ts";

export interface PipeItem {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
  readonly description?: unknown;
  readonly title?: unknown;
  readonly metadata?: unknown;
}

interface ParsedPipe {
  readonly base: PipeItem;
  readonly keywords: JsonSchema;
  readonly problem?: string;
}

const formatByCheck: Readonly<Record<string, string>> = {
  email: "email",
  url: "uri",
  uuid: "uuid",
  ipv4: "ipv4",
  ipv6: "ipv6",
  iso_date: "date",
  iso_timestamp: "date-time",
};

const boundByCheck: Readonly<Record<string, string>> = {
  min_length: "minLength",
  max_length: "maxLength",
  min_value: "minimum",
  max_value: "maximum",
  gt_value: "exclusiveMinimum",
  lt_value: "exclusiveMaximum",
  multiple_of: "multipleOf",
};

const typePreservingActions = new Set([
  "trim",
  "trim_start",
  "trim_end",
  "to_lower_case",
  "to_upper_case",
  "normalize",
  "brand",
  "readonly",
  "flavor",
]);

/**
 * The input ends at the first transformation, the output begins at the last schema. Valibot itself runs
 * checks that have no keyword.
 */
export const readPipe = (pipe: readonly PipeItem[], side: "input" | "output"): ParsedPipe => {
  const [first, ...rest] = pipe as readonly [PipeItem, ...PipeItem[]];
  const words = pipe.filter((item) => item.kind === "metadata").map(toAnnotations);
  if (side === "input") {
    const end = rest.findIndex((item) => item.kind === "transformation" || item.kind === "schema");
    return { base: first, keywords: merge(first, end < 0 ? rest : rest.slice(0, end), words) };
  }
  const last = pipe.findLastIndex((item) => item.kind === "schema");
  const base = pipe[last] as PipeItem;
  const after = pipe.slice(last + 1);
  const changed = after.find(
    (item) => item.kind === "transformation" && !typePreservingActions.has(item.type),
  );
  const keywords = merge(base, after, words);
  return changed === undefined
    ? { base, keywords }
    : { base, keywords, problem: `ends in ${changed.type}, so its output type is unknown` };
};

const merge = (base: PipeItem, items: readonly PipeItem[], words: readonly JsonSchema[]): JsonSchema =>
  Object.assign({}, ...items.map((item) => toKeywords(item, base.type)), ...words);

const toKeywords = (item: PipeItem, type: string): JsonSchema => {
  if (item.kind !== "validation") return {};
  if (item.type === "integer" || item.type === "safe_integer") return { type: "integer" };
  if (item.type in formatByCheck) return { format: formatByCheck[item.type] };
  const suffix = type === "string" ? "Length" : "Items";
  if (item.type === "non_empty") return { [`min${suffix}`]: 1 };
  if (item.type === "length")
    return { [`min${suffix}`]: item.requirement, [`max${suffix}`]: item.requirement };
  const keyword = boundByCheck[item.type];
  if (keyword === undefined || typeof item.requirement !== "number") return {};
  return { [keyword.replace("Length", suffix)]: item.requirement };
};

const toAnnotations = (item: PipeItem): JsonSchema => {
  if (typeof item.description === "string") return { description: item.description };
  return typeof item.title === "string" ? { title: item.title } : {};
};
