import { context, metrics, propagation, type TextMapPropagator, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

export interface Telemetry {
  /** Spans that ended, in the order in which they ended. */
  readonly spans: () => readonly ReadableSpan[];
  readonly span: (name: string) => ReadableSpan;
  readonly measured: () => Promise<readonly MetricData[]>;
  /** Everything that was exported, as text. */
  readonly exported: () => Promise<string>;
}

/** The real SDK, registered for the whole process and exporting into memory. */
export const useTelemetry = (): Telemetry => {
  const exporter = new InMemorySpanExporter();
  const kept = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: kept, exportIntervalMillis: 1_000_000 });
  for (const api of [trace, metrics, context, propagation]) api.disable();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(w3cPropagator);
  const spans = () => exporter.getFinishedSpans();
  const measured = async () => {
    kept.reset();
    await reader.forceFlush();
    return kept.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
  return {
    spans,
    span: (name) => {
      const found = spans().filter((span) => span.name === name);
      if (found.length !== 1)
        throw new Error(`${found.length} spans "${name}" among ${spans().map((s) => s.name)}`);
      return found[0]!;
    },
    measured,
    exported: async () => {
      const shown = spans().map(({ name, attributes, status, events, links }) => ({
        name,
        attributes,
        status,
        events,
        links,
      }));
      return JSON.stringify({ spans: shown, metrics: await measured() });
    },
  };
};

/** The two W3C headers, as the SDK for Node registers them. */
const w3cPropagator: TextMapPropagator = {
  inject: (from, carrier, { set }) => {
    const of = trace.getSpanContext(from);
    if (of !== undefined) {
      set(carrier, "traceparent", `00-${of.traceId}-${of.spanId}-0${of.traceFlags.toString(16)}`);
    }
    const baggage = propagation.getBaggage(from)?.getAllEntries() ?? [];
    if (baggage.length > 0)
      set(carrier, "baggage", baggage.map(([key, { value }]) => `${key}=${value}`).join());
  },
  extract: (from) => from,
  fields: () => ["traceparent", "baggage"],
};

/** A span of the user's own code around some work. */
export const inUserSpan = async <A>(name: string, work: () => Promise<A>): Promise<A> =>
  trace.getTracer("user").startActiveSpan(name, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });

export const parentSpanIdOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;

export const spanIdOf = (span: ReadableSpan): string => span.spanContext().spanId;
