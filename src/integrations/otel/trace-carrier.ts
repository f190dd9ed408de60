import { type Context, context, propagation, ROOT_CONTEXT, type TextMapSetter } from "@opentelemetry/api";
import { headerProblem } from "../../base/http/headers.ts";
import { runSafely } from "./run-safely.ts";

type Carrier = Record<string, string>;

/** What no request may carry is left out: a propagator is foreign code, and the request goes on without it. */
const headerSetter: TextMapSetter<Carrier> = {
  set: (carrier, name, value) => {
    if (typeof value === "string" && headerProblem(name, value) === undefined) carrier[name] = value;
  },
};

/**
 * The trace of a context as the registered propagator spells it. Baggage stays home: it is what services tell each
 * other, and a tool's request may go to anybody.
 */
export const traceCarrier = (otelContext: Context): Readonly<Record<string, string>> => {
  const carrier: Carrier = {};
  runSafely("inject", () =>
    propagation.inject(propagation.deleteBaggage(otelContext), carrier, headerSetter),
  );
  return carrier;
};

export const activeContext = (): Context => runSafely("active", () => context.active()) ?? ROOT_CONTEXT;

/** The trace of whatever runs right now, for the `_meta` of an MCP request. */
export const traceMeta = (): Readonly<Record<string, string>> => traceCarrier(activeContext());
