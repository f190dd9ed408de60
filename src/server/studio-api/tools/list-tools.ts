import { isObject } from "../../../base/json/json-value.ts";
import { formats } from "../../../models/dialects/formats.ts";
import type { ToolSearchHit } from "../../../registry/selection/search-index.ts";
import { definitionHash } from "../../../tools/tool-definition.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Registration } from "../../../types/tool.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { appOf } from "../apps/app-tools.ts";
import { executionMsOf } from "../calls/list-calls.ts";
import { callStatsOf, failuresOf } from "../overview/call-stats.ts";
import { definedFields, readCount, readCursor, readText, toCursor } from "../read-query.ts";
import type {
  Catalog,
  ToolDetail,
  ToolFormat,
  ToolMatch,
  ToolSearchResult,
  ToolSnippets,
} from "../schemas/tools.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { toToolListItem } from "./to-tool-list-item.ts";

export const listTools = async ({ studio, query }: ApiContext): Promise<Catalog> => {
  const limit = readCount(query, "limit", 100, 1_000);
  const searchQuery = readText(query, "query");
  const { registry } = studio.shared;
  if (searchQuery !== undefined) {
    const search = await searchWithReasons(studio, searchQuery, limit);
    const found = search.matches.flatMap(({ key }) => registry.get(key) ?? []);
    return { items: found.map((each) => toToolListItem(studio, each)), hasMore: false, search };
  }
  const all = registry.list().toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const after = readCursor(query);
  const rest = after === undefined ? all : all.filter(({ key }) => key > after);
  const shown = rest.slice(0, limit);
  const hasMore = rest.length > limit;
  return {
    items: shown.map((each) => toToolListItem(studio, each)),
    hasMore,
    ...(hasMore ? { next: toCursor(shown.at(-1)!.key) } : {}),
    total: { count: all.length, isEstimate: false },
  };
};

const minToolScore = 0.1;
const maxNearMisses = 5;

const searchWithReasons = async (
  { shared }: StudioServices,
  query: string,
  limit: number,
): Promise<ToolSearchResult> => {
  const { registry } = shared;
  // Loaded when needed, because the vocabulary has several megabytes.
  const { searchRegistry: searchAll } = await import("../../../runtime/search-offer.ts");
  const { tools, confidence, none, wishes } = searchAll(registry, query, {
    maxCandidates: limit,
    minScore: minToolScore,
  });
  const most = Math.min(1_000, limit + maxNearMisses);
  const more = searchAll(registry, query, { maxCandidates: most, minScore: 0 });
  const keys = new Map(registry.list().map(({ wireName, key }) => [wireName, key]));
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const found = new Set(tools.map(({ name }) => name));
  return {
    query,
    confidence,
    ...definedFields({ noMatchReason: none }),
    matches: tools.map((tool) => toToolMatch(tool, keyOf)),
    nearMisses: more.tools
      .filter(({ name }) => !found.has(name))
      .slice(0, maxNearMisses)
      .map((tool) => ({ ...toToolMatch(tool, keyOf), exclusionReason: exclusionReason(tool, limit) })),
    intents: wishes.map(({ text, tools: answering }) => ({ text, tools: answering.map(keyOf) })),
  };
};

const exclusionReason = ({ score }: ToolSearchHit, limit: number): string =>
  score < minToolScore ? `score below ${minToolScore}` : `not among the best ${limit}`;

const toToolMatch = (
  { name, score, reason, found, evidence }: ToolSearchHit,
  keyOf: (name: string) => string,
): ToolMatch => ({
  key: keyOf(name),
  score,
  reason,
  terms: found.map(({ term, place, for: meant }) => ({ term, place, ...definedFields({ for: meant }) })),
  evidence: Object.fromEntries(
    Object.entries(evidence).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
  ),
});

/** By full name, also if another tool has taken its short name. */
export const findTool = ({ shared: { registry } }: StudioServices, key: string): Registration => {
  const named = registry.get(key);
  if (named?.key === key) return named;
  const registration = registry.list().find((each) => each.key === key) ?? named;
  if (registration === undefined) throw notFoundError(`tool "${key}"`);
  return registration;
};

const maxToolCalls = 500;

export const toToolSnippets = ({ key, wireName }: Registration, input: unknown): ToolSnippets => ({
  code: `await haft.call(${JSON.stringify(key)}, ${JSON.stringify(input, null, 2) ?? "undefined"});`,
  commandLine: `haft call ${shellQuoted(key)} ${shellQuoted(JSON.stringify(input) ?? "")}`,
  mcp: { method: "tools/call", params: { name: wireName, arguments: input } },
});

const shellQuoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const maxExampleDepth = 4;

/** Arguments with the required properties and the examples of the schema. */
const exampleInputOf = (schema: JsonSchema | boolean | undefined, depth = 0): unknown => {
  if (!isObject(schema) || depth > maxExampleDepth) return {};
  const { examples, enum: words, type, properties, required, items } = schema;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (Array.isArray(words) && words.length > 0) return words[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return typeof schema.minItems === "number" && schema.minItems > 0
        ? [exampleInputOf(items as JsonSchema, depth + 1)]
        : [];
    default: {
      const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
      const members = isObject(properties) ? properties : {};
      return Object.fromEntries(
        names.map((name) => [name, exampleInputOf(members[name] as JsonSchema, depth + 1)]),
      );
    }
  }
};

export const showTool = async ({ studio, params }: ApiContext): Promise<ToolDetail> => {
  const registration = findTool(studio, params.key!);
  const { key, wireName, tool } = registration;
  const { spec, layers, implementation } = tool;
  const { answers, shadows } = studio.shared.registry.explain(spec.name);
  const isNameOwner = answers === key;
  const entries = await runLedger(studio.ledger.entries({ tool: key, limit: maxToolCalls }));
  const failed = entries.filter(({ ending }) => ending === "failed").length;
  const isEstimate = entries.length >= maxToolCalls;
  const app = appOf(studio, registration);
  return {
    summary: toToolListItem(studio, registration),
    ...definedFields({ signature: spec.signature, output: spec.output, timeoutMs: spec.timeoutMs }),
    input: spec.input,
    ...definedFields({
      maxCost: spec.maxCost,
      meta: spec.meta === undefined ? undefined : (studio.redactor.value(spec.meta) as typeof spec.meta),
    }),
    definition: definitionHash(spec),
    implementation: implementation._tag,
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
    shadows: isNameOwner ? shadows : [],
    ...definedFields({ shadowedBy: isNameOwner ? undefined : answers }),
    formats: Object.entries(formats).map(([format, spell]): ToolFormat => {
      const { tools, report } = spell([{ wireName, spec }]);
      const losses = report.map(({ pointer, keyword, note }) => ({ pointer, message: note, kind: keyword }));
      return { format, definition: studio.redactor.value(tools[0]), losses };
    }),
    snippets: toToolSnippets(registration, exampleInputOf(spec.input)),
    stats: {
      ...callStatsOf(entries, { calls: entries.length, failed, isEstimate }),
      failures: failuresOf(entries, 1),
    },
    recentCalls: entries.map((entry) => {
      const { entryId, at, ending } = entry;
      return { entryId, at, ending, ...definedFields({ durationMs: executionMsOf(entry) }) };
    }),
    ...(app === undefined ? {} : { app: { server: app.server, uri: app.uri } }),
  };
};
