import { packed, stems } from "./vocabulary/packed.ts";

export interface Vocabulary {
  readonly find: (stem: string) => number | undefined;
  /** From 3 for the most common words to 13 for rare and unknown ones. */
  readonly rarityOf: (stem: string) => number;
  readonly size: number;
  readonly near: (place: number) => readonly RelatedStem[];
  /** Adds to a sum of `dimensions` numbers. */
  readonly addTo: (sum: Float32Array, place: number, weight: number) => void;
}

export interface RelatedStem {
  readonly place: number;
  readonly likeness: number;
}

export const dimensions = 64;
const neighborsPerStem = 10;
const maxRarity = 13;
const numberRarity = 9;

const minLikeness = 0.35;

/** Unpacked on first use, because most programs never search. */
export const vocabulary = (): Vocabulary => {
  unpackedVocabulary ??= unpack();
  return unpackedVocabulary;
};

let unpackedVocabulary: Vocabulary | undefined;

const unpack = (): Vocabulary => {
  const all = stems.split(" ");
  const count = all.length;
  const bytes = Uint8Array.from(Buffer.from(packed, "base64"));
  const rarities = bytes.subarray(0, count);
  const directions = new Int8Array(bytes.buffer, count, count * dimensions);
  const places = new Uint16Array(
    bytes.buffer.slice(count * (1 + dimensions), count * (1 + dimensions + 2 * neighborsPerStem)),
  );
  const likenesses = bytes.subarray(count * (1 + dimensions + 2 * neighborsPerStem));
  const byStem = new Map(all.map((stem, place) => [stem, place]));
  const nearBy: (readonly RelatedStem[] | undefined)[] = [];
  const readNear = (place: number): readonly RelatedStem[] => {
    const near: RelatedStem[] = [];
    for (let at = place * neighborsPerStem; at < (place + 1) * neighborsPerStem; at++) {
      const likeness = (likenesses[at] as number) / 255;
      if (likeness >= minLikeness) near.push({ place: places[at] as number, likeness });
    }
    return near;
  };
  return {
    size: count,
    find: (stem) => byStem.get(stem),
    rarityOf: (stem) => {
      const place = byStem.get(stem);
      if (place !== undefined) return (rarities[place] as number) / 18;
      return /^\d+$/.test(stem) ? numberRarity : maxRarity;
    },
    near: (place) => {
      nearBy[place] ??= readNear(place);
      return nearBy[place];
    },
    addTo: (sum, place, weight) => {
      const start = place * dimensions;
      for (let at = 0; at < dimensions; at++) {
        sum[at] = (sum[at] as number) + weight * (directions[start + at] as number);
      }
    },
  };
};
