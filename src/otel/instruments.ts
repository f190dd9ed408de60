import { type Attributes, type Meter, metrics } from "@opentelemetry/api";
import type { SpanEnding } from "./ending.ts";
import type { Operation } from "./operation.ts";

export interface Instruments {
  readonly record: (operation: Operation, ending: SpanEnding, seconds: number) => void;
}

// The boundaries that the GenAI conventions advise.
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** The instruments of the meter given, or of whatever meter provider is registered by the time of a call. */
export const instrumentsOf = (meter: Meter | undefined): (() => Instruments) => {
  let from: unknown;
  let made: Instruments | undefined;
  return () => {
    const source = meter ?? metrics.getMeterProvider();
    if (made === undefined || from !== source) {
      made = instruments(meter ?? metrics.getMeter("haft"));
      from = source;
    }
    return made;
  };
};

const instruments = (meter: Meter): Instruments => {
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "How long a model or a tool took.",
    advice: { explicitBucketBoundaries: seconds },
  });
  const toolDuration = meter.createHistogram("gen_ai.execute_tool.duration", {
    unit: "s",
    description: "How long a tool took.",
    advice: { explicitBucketBoundaries: seconds },
  });
  const usage = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Tokens that models read and wrote.",
    advice: { explicitBucketBoundaries: tokens },
  });
  const cost = meter.createCounter("haft.tool.cost", {
    description: "What tools said they cost, in whatever currency the operator counts.",
  });
  const calls = meter.createCounter("haft.tool.calls", {
    unit: "{call}",
    description: "Calls of tools, by how they ended.",
  });

  const ofModel = (series: Attributes, { tokens: used }: SpanEnding): void => {
    if (used.input !== undefined) usage.record(used.input, { ...series, "gen_ai.token.type": "input" });
    if (used.output !== undefined) usage.record(used.output, { ...series, "gen_ai.token.type": "output" });
  };

  const ofTool = (operation: Operation, ending: SpanEnding, error: Attributes, took: number): void => {
    const name = { "gen_ai.tool.name": operation.series["gen_ai.tool.name"] };
    const type = { "gen_ai.tool.type": operation.attributes["gen_ai.tool.type"] };
    toolDuration.record(took, { ...name, ...type, ...error });
    calls.add(1, { ...name, "haft.outcome": ending.outcome, ...error });
    // A counter only goes up; what a tool gives back is on its span.
    if (ending.cost !== undefined && ending.cost > 0) cost.add(ending.cost, name);
  };

  return {
    record: (operation, ending, took) => {
      const error = ending.errorType === undefined ? {} : { "error.type": ending.errorType };
      duration.record(took, { ...operation.series, ...error });
      if (operation.kind === "model") ofModel(operation.series, ending);
      else ofTool(operation, ending, error, took);
    },
  };
};
