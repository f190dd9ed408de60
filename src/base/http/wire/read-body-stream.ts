import { pipeline, type Readable, Transform, Writable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export class ResponseTooLargeError extends Error {}

export class UnknownEncodingError extends Error {}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const acceptEncoding = "gzip, br";

const byteLimitTransform = (limit: number) => {
  let total = 0;
  return {
    total: () => total,
    refuse: (chunk: Uint8Array): ResponseTooLargeError | null => {
      total += chunk.byteLength;
      return total <= limit ? null : new ResponseTooLargeError(`more than ${limit} bytes`);
    },
  };
};

const decoderFor = (encoding: string | null): Transform | UnknownEncodingError | undefined => {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  return decoder === undefined
    ? new UnknownEncodingError(`content-encoding ${name.slice(0, 40)}`)
    : decoder();
};

interface BodyLimits {
  readonly encoding: string | null;
  readonly maxBytes: number;
}

/** Limits compressed bytes too, because a compressed stream can be endless and contain no data. */
export const readBodyStream = (
  source: Readable,
  { encoding, maxBytes }: BodyLimits,
  done: (error: Error | undefined, body: Uint8Array) => void,
): void => {
  const unpack = decoderFor(encoding);
  if (unpack instanceof UnknownEncodingError) {
    source.on("error", () => {}).destroy();
    done(unpack, new Uint8Array());
    return;
  }
  const chunks: Uint8Array[] = [];
  const [wire, body] = [byteLimitTransform(maxBytes * 2 + 1024), byteLimitTransform(maxBytes)];
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, next) {
      chunks.push(chunk);
      next(body.refuse(chunk));
    },
  });
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, next) {
      next(wire.refuse(chunk), chunk);
    },
  });
  const stages = unpack === undefined ? [source, sink] : [source, counted, unpack, sink];
  pipeline(stages, (error) => {
    // Some servers declare an encoding for an empty body.
    const isEmpty = unpack !== undefined && wire.total() === 0 && source.readableEnded;
    if (!error || isEmpty) done(undefined, Buffer.concat(chunks));
    else done(error, new Uint8Array());
  });
};
