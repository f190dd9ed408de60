import { type Context, createContextKey, type Link, type SpanContext } from "@opentelemetry/api";
import { readTraceparent } from "./w3c-trace.ts";

const linkKey = createContextKey("haft links");

/** Links the next span that starts in this context, and none below it. */
export const withLink = (context: Context, to: SpanContext): Context => context.setValue(linkKey, to);

export const withoutLink = (context: Context): Context =>
  context.getValue(linkKey) === undefined ? context : context.deleteValue(linkKey);

export const spanLinksOf = (context: Context, earlierTrace: string | undefined): Link[] => {
  const carrierSpan = context.getValue(linkKey) as SpanContext | undefined;
  const earlier = readTraceparent(earlierTrace);
  return [
    ...(carrierSpan === undefined ? [] : [{ context: carrierSpan }]),
    ...(earlier === undefined ? [] : [{ context: earlier, attributes: { "haft.link": "resumes" } }]),
  ];
};
