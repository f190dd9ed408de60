import { boundedFetch } from "./bounded-fetch.ts";
import { withArgumentText } from "./dialects/calls/with-argument-text.ts";
import { type WireName, wireReader } from "./dialects/wires.ts";

/**
 * SDKs use JSON.parse, which changes large numbers and drops duplicate keys, so arguments are passed as exact
 * text.
 */
export const argumentTextFetch =
  (wire: WireName, given: typeof fetch | undefined): typeof fetch =>
  async (url, init) => {
    const { argumentPaths } = wireReader(wire);
    const response = await boundedFetch(given)(url, init);
    if (!response.ok || response.body === null) return response;
    const keep = (text: string): string => withArgumentText(text, argumentPaths);
    const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
    return withBody(
      response,
      isStream ? response.body.pipeThrough(rewriteEvents(keep)) : keep(await response.text()),
    );
  };

/** The original length no longer applies. */
const withBody = (
  { status, statusText, headers: given }: Response,
  body: ConstructorParameters<typeof Response>[0],
): Response => {
  const headers = new Headers(given);
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  return new Response(body, { status, statusText, headers });
};

const rewriteEvents = (rewrite: (data: string) => string): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let tail = "";
  let lines: string[] = [];

  const take = (line: string, out: TransformStreamDefaultController<Uint8Array>): void => {
    const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (plain !== "") {
      lines.push(plain);
      return;
    }
    const event = [...rewriteEvent(lines, rewrite), "", ""];
    lines = [];
    out.enqueue(encoder.encode(event.join("\n")));
  };

  return new TransformStream({
    transform: (chunk, out) => {
      const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
      tail += first;
      for (const next of rest) {
        take(tail, out);
        tail = next;
      }
    },
    flush: (out) => {
      const left = [...lines, tail + decoder.decode()].join("\n");
      if (left !== "") out.enqueue(encoder.encode(left));
    },
  });
};

const dataLine = /^data:? ?/;

const rewriteEvent = (lines: readonly string[], rewrite: (data: string) => string): readonly string[] => {
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.replace(dataLine, ""));
  if (data.length === 0) return lines;
  const whole = rewrite(data.join("\n"));
  const others = lines.filter((line) => !line.startsWith("data:"));
  return [...others, ...whole.split("\n").map((line) => `data: ${line}`)];
};
