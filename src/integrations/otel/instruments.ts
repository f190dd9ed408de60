import { type Attributes, type Meter, metrics } from "@opentelemetry/api";
import type { OtelOperation } from "./operation.ts";
import type { SpanEnding } from "./span-ending.ts";

export interface Instruments {
  readonly record: (operation: OtelOperation, ending: SpanEnding, seconds: number) => void;
  /** A call that ran no code has no meaningful duration. */
  readonly count: (operation: OtelOperation, ending: SpanEnding) => void;
  readonly recordRun: (series: Attributes, errorType: string | undefined, seconds: number) => void;
}

// Bucket boundaries of the GenAI semantic conventions.
const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const runDurationBuckets = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** Without a meter, uses the provider that is registered at the time of a call. */
export const lazyInstruments = (meter: Meter | undefined): (() => Instruments) => {
  let createdFor: unknown;
  let created: Instruments | undefined;
  return () => {
    const source = meter ?? metrics.getMeterProvider();
    if (created === undefined || createdFor !== source) {
      created = createInstruments(meter ?? metrics.getMeter("haft"));
      createdFor = source;
    }
    return created;
  };
};

const createInstruments = (meter: Meter): Instruments => {
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "How long a model or a tool took.",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const toolDuration = meter.createHistogram("gen_ai.execute_tool.duration", {
    unit: "s",
    description: "How long a tool took.",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const runDuration = meter.createHistogram("gen_ai.invoke_agent.duration", {
    unit: "s",
    description: "How long a run of an agent took.",
    advice: { explicitBucketBoundaries: runDurationBuckets },
  });
  const usage = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Tokens that models read and wrote.",
    advice: { explicitBucketBoundaries: tokenBuckets },
  });
  const cost = meter.createCounter("haft.tool.cost", {
    description: "Cost reported by tools, in the operator's currency.",
  });
  const calls = meter.createCounter("haft.tool.calls", {
    unit: "{call}",
    description: "Calls of tools, by how they ended.",
  });

  const ofModel = (series: Attributes, { tokens: used }: SpanEnding): void => {
    if (used.input !== undefined) usage.record(used.input, { ...series, "gen_ai.token.type": "input" });
    if (used.output !== undefined) usage.record(used.output, { ...series, "gen_ai.token.type": "output" });
  };

  const countCall = (operation: OtelOperation, ending: SpanEnding): void =>
    calls.add(1, {
      ...toolNameAttributes(operation),
      "haft.outcome": ending.outcome,
      ...errorAttributes(ending.errorType),
    });

  const ofTool = (operation: OtelOperation, ending: SpanEnding, error: Attributes, took: number): void => {
    const name = toolNameAttributes(operation);
    const type = { "gen_ai.tool.type": operation.attributes["gen_ai.tool.type"] };
    toolDuration.record(took, { ...name, ...type, ...error });
    countCall(operation, ending);
    // A counter cannot decrease, so refunds are only on the span.
    if (ending.cost !== undefined && ending.cost > 0) cost.add(ending.cost, name);
  };

  return {
    record: (operation, ending, took) => {
      const error = errorAttributes(ending.errorType);
      duration.record(took, { ...operation.series, ...error });
      if (operation.kind === "model") ofModel(operation.series, ending);
      else ofTool(operation, ending, error, took);
    },
    count: (operation, ending) => {
      if (operation.kind === "tool") countCall(operation, ending);
    },
    recordRun: (series, errorType, took) =>
      runDuration.record(took, { ...series, ...errorAttributes(errorType) }),
  };
};

const errorAttributes = (errorType: string | undefined): Attributes =>
  errorType === undefined ? {} : { "error.type": errorType };

const toolNameAttributes = ({ series }: OtelOperation): Attributes => {
  const name = series["gen_ai.tool.name"];
  return name === undefined ? {} : { "gen_ai.tool.name": name };
};
