import { hash } from "node:crypto";

interface FileHeader {
  readonly format: "haft-vectors-1";
  readonly name: string;
  readonly dimension: number;
  readonly count: number;
  /** Of all bytes after the line. */
  readonly sha256: string;
}

const keyBytes = 32;
const lineEnd = 0x0a;

/**
 * Format: a line of JSON, then for each vector the 32 bytes of its key and its numbers as little-endian
 * float32.
 */
export const writeVectors = (entries: ReadonlyMap<string, Float32Array>, name: string): Uint8Array => {
  const dimension = entries.values().next().value?.length ?? 0;
  const step = keyBytes + 4 * dimension;
  const body = new Uint8Array(entries.size * step);
  const view = new DataView(body.buffer);
  let at = 0;
  for (const [key, vector] of entries) {
    body.set(Buffer.from(key, "hex"), at);
    for (let place = 0; place < dimension; place++)
      view.setFloat32(at + keyBytes + 4 * place, vector[place]!, true);
    at += step;
  }
  const sha256 = hash("sha256", body, "hex");
  const head: FileHeader = { format: "haft-vectors-1", name, dimension, count: entries.size, sha256 };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
};

/** Undefined if the bytes are damaged or of another embedder. */
export const readVectors = (bytes: Uint8Array, name: string): Map<string, Float32Array> | undefined => {
  const end = bytes.indexOf(lineEnd);
  const head = end === -1 ? undefined : readHeader(bytes.subarray(0, end));
  if (head === undefined || head.name !== name) return undefined;
  const { dimension, count, sha256 } = head;
  const step = keyBytes + 4 * dimension;
  const body = bytes.subarray(end + 1);
  if (body.length !== count * step || hash("sha256", body, "hex") !== sha256) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const entries = new Map<string, Float32Array>();
  for (let at = 0; at < body.length; at += step) {
    const vector = new Float32Array(dimension);
    for (let place = 0; place < dimension; place++)
      vector[place] = view.getFloat32(at + keyBytes + 4 * place, true);
    entries.set(Buffer.from(body.subarray(at, at + keyBytes)).toString("hex"), vector);
  }
  return entries;
};

const readHeader = (line: Uint8Array): FileHeader | undefined => {
  try {
    const head: Partial<FileHeader> = JSON.parse(new TextDecoder().decode(line));
    const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
    return head.format === "haft-vectors-1" && isWhole(head.dimension) && isWhole(head.count)
      ? (head as FileHeader)
      : undefined;
  } catch {
    return undefined;
  }
};
