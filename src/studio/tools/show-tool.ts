import { formats } from "../../dialects/formats.ts";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { Registration } from "../../words/tool.ts";
import { appOf } from "../apps/app-tools.ts";
import { given } from "../calls/call-line.ts";
import { failuresOf, figuresOf } from "../overview/figures.ts";
import { notFound } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { ToolDetail, ToolFormat } from "../words/tools.ts";
import { ask, type StudioWorld } from "../world.ts";
import { copiesOf, exampleOf } from "./copies.ts";
import { toToolLine } from "./tool-line.ts";

export const findTool = ({ shared }: StudioWorld, key: string): Registration => {
  const registration = shared.registry.get(key);
  if (registration === undefined) throw notFound(`tool "${key}"`);
  return registration;
};

/** Figures of a tool are of its newest calls, at most so many. */
const mostCalls = 500;

export const showTool = async ({ world, params }: Visit): Promise<ToolDetail> => {
  const registration = findTool(world, params.key!);
  const { key, wireName, tool } = registration;
  const { spec, layers, implementation } = tool;
  const { shadows, shadowedBy } = world.shared.registry.explain(key);
  const entries = await ask(world.ledger.entries({ tool: key, limit: mostCalls }));
  const failed = entries.filter(({ ending }) => ending === "failed").length;
  const isEstimate = entries.length >= mostCalls;
  const app = appOf(world, registration);
  return {
    line: toToolLine(world, registration),
    ...given({ signature: spec.signature, output: spec.output, timeoutMs: spec.timeoutMs }),
    input: spec.input,
    ...given({ maxCost: spec.maxCost, meta: spec.meta }),
    definition: definitionHash(spec),
    implementation: implementation._tag,
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
    shadows,
    ...given({ shadowedBy }),
    formats: Object.entries(formats).map(([format, spell]): ToolFormat => {
      const { tools, report } = spell([{ wireName, spec }]);
      const losses = report.map(({ pointer, keyword, note }) => ({ pointer, message: note, kind: keyword }));
      return { format, spelled: tools[0], losses };
    }),
    copy: copiesOf(registration, exampleOf(spec.input)),
    figures: {
      ...figuresOf(entries, { calls: entries.length, failed, isEstimate }),
      failures: failuresOf(entries, 1),
    },
    recent: entries.map(({ entryId, at, durationMs, ending }) => ({
      entryId,
      at,
      ending,
      ...given({ durationMs }),
    })),
    ...(app === undefined ? {} : { app: { server: app.server, uri: app.uri } }),
  };
};
