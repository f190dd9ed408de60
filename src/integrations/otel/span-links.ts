import { type Context, createContextKey, type Link, type SpanContext } from "@opentelemetry/api";
import { readTraceparent } from "./w3c-trace.ts";

const linkKey = createContextKey("haft links");

/** For the next span that is started in this context, and for no other below it. */
export const withLink = (context: Context, to: SpanContext): Context => context.setValue(linkKey, to);

export const withoutLink = (context: Context): Context =>
  context.getValue(linkKey) === undefined ? context : context.deleteValue(linkKey);

/** To the request that carried the message, and to where the call began to wait for a person. */
export const spanLinksOf = (context: Context, earlierTrace: string | undefined): Link[] => {
  const carrierSpan = context.getValue(linkKey) as SpanContext | undefined;
  const earlier = readTraceparent(earlierTrace);
  return [
    ...(carrierSpan === undefined ? [] : [{ context: carrierSpan }]),
    ...(earlier === undefined ? [] : [{ context: earlier, attributes: { "haft.link": "resumes" } }]),
  ];
};
