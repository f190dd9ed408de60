import { formats } from "../../../models/dialects/formats.ts";
import { definitionHash } from "../../../tools/definition-hash.ts";
import type { Registration } from "../../../types/tool.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { appOf } from "../apps/app-tools.ts";
import { executionMsOf } from "../calls/to-call-list-item.ts";
import { definedFields } from "../defined-fields.ts";
import { callStatsOf, failuresOf } from "../overview/call-stats.ts";
import type { ToolDetail, ToolFormat } from "../schemas/tools.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { toToolListItem } from "./to-tool-list-item.ts";
import { exampleInputOf, toToolSnippets } from "./tool-snippets.ts";

/** By full name, also if another tool has taken its short name. */
export const findTool = ({ shared: { registry } }: StudioServices, key: string): Registration => {
  const named = registry.get(key);
  if (named?.key === key) return named;
  const registration = registry.list().find((each) => each.key === key) ?? named;
  if (registration === undefined) throw notFoundError(`tool "${key}"`);
  return registration;
};

const maxToolCalls = 500;

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
