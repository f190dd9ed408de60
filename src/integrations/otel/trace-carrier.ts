import { type Context, context, propagation, ROOT_CONTEXT, type TextMapSetter } from "@opentelemetry/api";
import { refuseHeader } from "../http/headers.ts";
import { safely } from "./safely.ts";

type Carrier = Record<string, string>;

/** What no request may carry is left out: a propagator is foreign code, and the request goes on without it. */
const setter: TextMapSetter<Carrier> = {
  set: (carrier, name, value) => {
    if (typeof value === "string" && refuseHeader(name, value) === undefined) carrier[name] = value;
  },
};

/**
 * The trace of a context as the registered propagator spells it. Baggage stays home: it is what services tell each
 * other, and a tool's request may go to anybody.
 */
export const traceCarrier = (of: Context): Readonly<Record<string, string>> => {
  const carrier: Carrier = {};
  safely("inject", () => propagation.inject(propagation.deleteBaggage(of), carrier, setter));
  return carrier;
};

export const activeContext = (): Context => safely("active", () => context.active()) ?? ROOT_CONTEXT;

/** The trace of whatever runs right now, for the `_meta` of an MCP request. */
export const traceMeta = (): Readonly<Record<string, string>> => traceCarrier(activeContext());
