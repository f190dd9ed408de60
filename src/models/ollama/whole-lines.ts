import { isObject } from "../../base/json/is-object.ts";
import { ModelError } from "../../types/errors.ts";
import { withArgumentText } from "../dialects/calls/with-argument-text.ts";
import { wireReader } from "../dialects/wires.ts";
import { HttpStatusError } from "../http-status-error.ts";

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** The SDK skips unreadable lines, which would make a damaged reply look complete. */
export const completeJsonLines = (id: string): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const { argumentPaths } = wireReader("ollama");
  let pieces: string[] = [];

  const pass = (out: TransformStreamDefaultController<Uint8Array>): void => {
    const line = pieces.join("").trim();
    pieces = [];
    if (line === "") return;
    const event = parseLine(line);
    if (!isObject(event)) {
      throw new ModelError(
        "model_unreadable",
        `${id}: a line of the provider's answer is not a JSON object.`,
      );
    }
    // Errors after the first token arrive with status 200.
    if (typeof event.error === "string") throw new HttpStatusError(500, new Headers(), line);
    out.enqueue(encoder.encode(`${withArgumentText(line, argumentPaths)}\n`));
  };

  return new TransformStream({
    transform: (chunk, out) => {
      const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
      pieces.push(first);
      for (const piece of rest) {
        pass(out);
        pieces.push(piece);
      }
    },
    flush: (out) => {
      pieces.push(decoder.decode());
      pass(out);
    },
  });
};
