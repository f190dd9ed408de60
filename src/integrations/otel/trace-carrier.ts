import { type Context, context, propagation, ROOT_CONTEXT, type TextMapSetter } from "@opentelemetry/api";
import { headerProblem } from "../../base/http/headers.ts";
import { reportErrors } from "./run-safely.ts";

type Carrier = Record<string, string>;

/** A propagator is third-party code. */
const headerSetter: TextMapSetter<Carrier> = {
  set: (carrier, name, value) => {
    if (typeof value === "string" && headerProblem(name, value) === undefined) carrier[name] = value;
  },
};

/** Baggage is removed, because a tool's request may go to any server. */
export const traceCarrier = (otelContext: Context): Readonly<Record<string, string>> => {
  const carrier: Carrier = {};
  reportErrors("inject", () =>
    propagation.inject(propagation.deleteBaggage(otelContext), carrier, headerSetter),
  );
  return carrier;
};

export const activeContext = (): Context => reportErrors("active", () => context.active()) ?? ROOT_CONTEXT;

/** Returns the headers of the current trace, for `_meta` of an MCP request. */
export const traceMeta = (): Readonly<Record<string, string>> => traceCarrier(activeContext());
