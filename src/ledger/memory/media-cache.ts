import type { ContentPart } from "../../types/content.ts";

export interface MediaCache {
  readonly keep: (entryId: string, parts: readonly ContentPart[]) => void;
  readonly of: (entryId: string) => readonly ContentPart[] | undefined;
  readonly drop: (entryId: string) => void;
}

/** In characters. */
const defaultMaxCharacters = 67_108_864;

export const createMediaCache = (maxCharacters = defaultMaxCharacters): MediaCache => {
  const kept = new Map<string, readonly ContentPart[]>();
  let length = 0;
  const drop = (entryId: string): void => {
    const parts = kept.get(entryId);
    if (parts === undefined) return;
    kept.delete(entryId);
    length -= lengthOf(parts);
  };
  return {
    drop,
    of: (entryId) => kept.get(entryId),
    keep: (entryId, parts) => {
      drop(entryId);
      kept.set(entryId, parts);
      length += lengthOf(parts);
      for (const oldest of kept.keys()) {
        if (length <= maxCharacters) return;
        drop(oldest);
      }
    },
  };
};

const lengthOf = (parts: readonly ContentPart[]): number =>
  parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text : (part.data ?? part.url)).length, 0);
