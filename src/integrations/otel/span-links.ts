import { type Context, createContextKey, type Link, type SpanContext } from "@opentelemetry/api";
import { readTraceparent } from "./w3c-trace.ts";

const key = createContextKey("haft links");

/** For the next span that is started in this context, and for no other below it. */
export const withLink = (context: Context, to: SpanContext): Context => context.setValue(key, to);

export const withoutLink = (context: Context): Context =>
  context.getValue(key) === undefined ? context : context.deleteValue(key);

/** To the request that carried the message, and to where the call began to wait for a person. */
export const linksOf = (context: Context, earlierTrace: string | undefined): Link[] => {
  const carried = context.getValue(key) as SpanContext | undefined;
  const earlier = readTraceparent(earlierTrace);
  return [
    ...(carried === undefined ? [] : [{ context: carried }]),
    ...(earlier === undefined ? [] : [{ context: earlier, attributes: { "haft.link": "resumes" } }]),
  ];
};
