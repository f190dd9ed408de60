import { headOf, tailOf } from "../../../text/cut-text.ts";
import { ConfigurationError, type ToolError, ToolExecutionError } from "../../../words/errors.ts";
import { ownerOf, ownersOf } from "./owner.ts";
import { sizeOf } from "./size-of.ts";
import { randomOf, spillFiles } from "./spill-files.ts";
import { hasLargeBinary, isBlocks, jsonOf, type Keep, spillBlocks } from "./spill-parts.ts";
import type { SpillCall, SpilledPart, SpillRange } from "./spilled.ts";
import { partOf, readRange } from "./spilled-part.ts";

/** Keeps what is too large to pass on in files, under handles that only their owner can use. */
export interface Spill {
  /** The same value where it is small enough, at once; else a promise of a small one that says where the rest is. */
  readonly bound: (value: unknown, call: SpillCall) => Promise<unknown> | unknown;
  readonly read: (handle: string, range: SpillRange) => Promise<SpilledPart>;
  /** Removes what this spill wrote, unless it is to be kept. */
  readonly close: () => Promise<void>;
}

export interface SpillOptions {
  /** Made when first needed, for nobody else to look into. */
  readonly directory: string;
  /** Text and JSON with more bytes than this are kept in a file: 65,536. */
  readonly overBytes?: number;
  /** Past this the oldest leave: 256 MiB. */
  readonly maxBytesTotal?: number;
  /** Older ones leave: 24 hours. */
  readonly maxAgeMs?: number;
  /** Files stay when the runtime closes. */
  readonly keep?: boolean;
  readonly now?: () => number;
  readonly random?: (bytes: number) => Uint8Array;
}

const day = 86_400_000;
const mostAtOnce = 32_768;

/** Opens a spill. It touches no file until something is too large. */
export const spillOf = (options: SpillOptions): Spill => {
  const overBytes = readBound("overBytes", options.overBytes ?? 65_536, 1024);
  const files = spillFiles({
    directory: options.directory,
    maxBytesTotal: readBound("maxBytesTotal", options.maxBytesTotal ?? 268_435_456, overBytes),
    maxAgeMs: readBound("maxAgeMs", options.maxAgeMs ?? day, 1),
    keep: options.keep ?? false,
    now: options.now ?? Date.now,
    random: options.random ?? randomOf,
  });
  const most = Math.min(mostAtOnce, overBytes >> 1);

  const keepFor =
    (call: SpillCall, handles: string[]): Keep =>
    async (content, about) => {
      const isText = typeof content === "string";
      const bytes = isText ? Buffer.from(content) : content;
      try {
        const { tool, callId, principal } = call;
        const kept = await files.write(bytes, { ...about, tool, callId, owners: ownersOf(principal) });
        handles.push(kept.handle);
        return isText ? { ...kept, preview: preview(content, overBytes) } : kept;
      } catch (trouble) {
        throw notKept(call, bytes.byteLength, trouble);
      }
    };

  return {
    bound: (value, call) => {
      const isLarge = sizeOf(value, overBytes) > overBytes;
      if (!isLarge && !(isBlocks(value) && hasLargeBinary(value.content))) return value;
      const kept: string[] = [];
      return shrink(value, overBytes, keepFor(call, kept)).catch(async (trouble: unknown) => {
        for (const handle of kept) await files.drop(handle);
        throw trouble;
      });
    },
    read: async (handle, range) => {
      const record = typeof handle === "string" ? await files.find(handle) : undefined;
      if (record === undefined || !record.owners.includes(ownerOf(range.principal))) throw unknown();
      const { offset, length } = readRange(range, most);
      const text = record.kind === "text";
      // A character that begins before the offset is given whole.
      const from = text ? Math.max(0, offset - 3) : offset;
      const bytes = await files.slice(handle, from, length + offset - from).catch(() => {
        throw unknown();
      });
      return partOf(handle, record, offset, from, bytes);
    },
    close: files.close,
  };
};

const shrink = async (value: unknown, overBytes: number, keep: Keep): Promise<unknown> => {
  if (typeof value === "string") return { spilled: await keep(value, { kind: "text" }) };
  if (!isBlocks(value)) return asJson(value, keep);
  const { structuredContent } = value;
  const small = {
    ...value,
    content: await spillBlocks(value.content, overBytes, keep),
    ...(structuredContent !== undefined && sizeOf(structuredContent, overBytes) > overBytes
      ? { structuredContent: await asJson(structuredContent, keep) }
      : {}),
  };
  // So many blocks, or so much beside them, that what is left is large again.
  return sizeOf(small, 2 * overBytes) > 2 * overBytes ? asJson(small, keep) : small;
};

const asJson = async (value: unknown, keep: Keep): Promise<unknown> => {
  const mimeType = "application/json";
  return { mimeType, spilled: await keep(jsonOf(value), { kind: "text", mimeType }) };
};

/** The same words whether a handle never was, has left, or is somebody else's. */
const unknown = (): ToolError =>
  new ToolExecutionError(
    "failed",
    "There is no result under this handle. Take it from `spilled.handle` of a result; results are kept for a day at most, so call the tool again if it is gone.",
    { retryable: false },
  );

const notKept = (call: SpillCall, bytes: number, cause: unknown): ToolError => {
  const why = (cause as { readonly code?: unknown }).code;
  return new ToolExecutionError(
    "failed",
    `The result has ${bytes} bytes, too many to pass on, and could not be kept${typeof why === "string" ? ` (${why})` : ""}. Ask for less at a time.`,
    { tool: call.tool, retryable: false, ran: true, cause, detail: String((cause as Error).message) },
  );
};

const readBound = (name: string, value: number, least: number): number => {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigurationError(
    "invalid_config",
    `\`${name}\` of the spill is ${String(value)}; it must be a whole number of at least ${least}.`,
  );
};

/** The beginning and the end of a long text, cut between characters, with a word on how to get the rest. */
const preview = (text: string, overBytes: number): string => {
  const head = Math.min(2000, Math.ceil(overBytes / 4));
  const tail = Math.min(500, Math.ceil(overBytes / 16));
  if (text.length <= head + tail) return text;
  const first = headOf(text, head);
  const last = tailOf(text, tail);
  const missing = text.length - first.length - last.length;
  return `${first}\n… ${missing} characters left out; read_result reads them …\n${last}`;
};
