import * as Effect from "effect/Effect";
import { refuseHeader } from "../../http/headers.ts";
import { TraceHeaders } from "../../http/trace-headers.ts";

/** Ties the request to the trace of its call. What the tool set stays, and a broken tracer is no reason to fail. */
export const addTrace = (headers: Headers): Effect.Effect<void> =>
  Effect.map(TraceHeaders, (traceHeaders) => {
    try {
      for (const [name, value] of Object.entries(traceHeaders())) {
        if (refuseHeader(name, value) === undefined && !headers.has(name)) headers.set(name, value);
      }
    } catch {}
  });
