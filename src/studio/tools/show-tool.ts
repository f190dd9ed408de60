import { formats } from "../../dialects/formats.ts";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { Registration } from "../../words/tool.ts";
import { appOf } from "../apps/app-tools.ts";
import { given, tookOf } from "../calls/call-line.ts";
import { failuresOf, figuresOf } from "../overview/figures.ts";
import { notFound } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { ToolDetail, ToolFormat } from "../words/tools.ts";
import { ask, type StudioWorld } from "../world.ts";
import { copiesOf, exampleOf } from "./copies.ts";
import { toToolLine } from "./tool-line.ts";

/** The tool of this full name, also where calls of the name reach another one that has taken it. */
export const findTool = ({ shared: { registry } }: StudioWorld, key: string): Registration => {
  const meant = registry.get(key);
  if (meant?.key === key) return meant;
  const registration = registry.list().find((each) => each.key === key) ?? meant;
  if (registration === undefined) throw notFound(`tool "${key}"`);
  return registration;
};

/** Figures of a tool are of its newest calls, at most so many. */
const mostCalls = 500;

export const showTool = async ({ world, params }: Visit): Promise<ToolDetail> => {
  const registration = findTool(world, params.key!);
  const { key, wireName, tool } = registration;
  const { spec, layers, implementation } = tool;
  const { answers, shadows } = world.shared.registry.explain(spec.name);
  const isMeant = answers === key;
  const entries = await ask(world.ledger.entries({ tool: key, limit: mostCalls }));
  const failed = entries.filter(({ ending }) => ending === "failed").length;
  const isEstimate = entries.length >= mostCalls;
  const app = appOf(world, registration);
  return {
    line: toToolLine(world, registration),
    ...given({ signature: spec.signature, output: spec.output, timeoutMs: spec.timeoutMs }),
    input: spec.input,
    ...given({
      maxCost: spec.maxCost,
      meta: spec.meta === undefined ? undefined : (world.redactor.value(spec.meta) as typeof spec.meta),
    }),
    definition: definitionHash(spec),
    implementation: implementation._tag,
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
    shadows: isMeant ? shadows : [],
    ...given({ shadowedBy: isMeant ? undefined : answers }),
    formats: Object.entries(formats).map(([format, spell]): ToolFormat => {
      const { tools, report } = spell([{ wireName, spec }]);
      const losses = report.map(({ pointer, keyword, note }) => ({ pointer, message: note, kind: keyword }));
      return { format, spelled: world.redactor.value(tools[0]), losses };
    }),
    copy: copiesOf(registration, exampleOf(spec.input)),
    figures: {
      ...figuresOf(entries, { calls: entries.length, failed, isEstimate }),
      failures: failuresOf(entries, 1),
    },
    recent: entries.map((entry) => {
      const { entryId, at, ending } = entry;
      return { entryId, at, ending, ...given({ durationMs: tookOf(entry) }) };
    }),
    ...(app === undefined ? {} : { app: { server: app.server, uri: app.uri } }),
  };
};
