import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { centerRows, joinColumns, type Matrix, projectOnto, removeDirections, unitRows } from "./matrix.ts";
import { nearest } from "./neighbors.ts";
import { toSource } from "./pack.ts";
import { checkPackages, encodeWords, installCommand, readWordVectors } from "./packages.ts";
import { principalDirections } from "./principal-directions.ts";
import { rarityOf, stemVectors, toStems } from "./stems.ts";

const usage = `usage: node scripts/vocabulary/build.ts --packages FOLDER [--out FILE]

Builds the words by which tools are found: the commonest English stems, how rare each is, what it means as a short vector,
and the stems nearest to it. The same packages always give the same file. It takes a few minutes.

  --packages FOLDER  where the vectors were installed, with: ${installCommand}
  --out FILE         src/registry/selection/vocabulary/packed.ts unless named
  --help             this text`;

const wordCount = 60_000;
const stemCount = 16_384;
const dimensions = 64;
const neighborCount = 10;
/** Directions are taken from the most common words, because the rare ones are mostly names. */
const commonWords = 50_000;
const commonStems = 8_000;

const exitWithUsage = (message: string): never => {
  console.error(message);
  process.exit(2);
};

const readFlags = () => {
  try {
    return parseArgs({
      options: {
        packages: { type: "string" },
        out: {
          type: "string",
          default: fileURLToPath(
            new URL("../../src/registry/selection/vocabulary/packed.ts", import.meta.url),
          ),
        },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return exitWithUsage(`${(error as Error).message}\n\n${usage}`);
  }
};

const startedAt = performance.now();
const logProgress = (text: string): void =>
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
const logPartialProgress = (what: string) => (done: number) => {
  if (done % 2_048 === 0) logProgress(`${what}: ${done} of ${stemCount}`);
};

/** The common component of all vectors carries no information, and hides how similar two of them are. */
const removeCommonDirections = (matrix: Matrix, sample: number, common: number): Matrix =>
  unitRows(removeDirections(matrix, principalDirections(matrix, sample, common)));

const flags = readFlags();
if (flags.help) {
  console.log(usage);
  process.exit(0);
}
const folder = flags.packages ?? exitWithUsage(`Name the folder of the vectors with --packages.\n\n${usage}`);
try {
  checkPackages(folder);
} catch (error) {
  exitWithUsage((error as Error).message);
}

logProgress("reading the words");
const { words, vectors } = readWordVectors(folder, wordCount);
const stems = toStems(words, stemCount);
if (stems.length < stemCount)
  exitWithUsage(`The list gives ${stems.length} stems, but ${stemCount} are needed.`);

logProgress("what the words mean by their company");
const wordVectorMatrix = stemVectors(
  stems,
  removeCommonDirections(centerRows(vectors, commonWords), commonWords, 2),
);

const encoded = await encodeWords(
  folder,
  stems.map(({ word }) => word),
  logPartialProgress("what the words mean to the sentence encoder"),
);
const encoderMatrix = removeCommonDirections(centerRows(encoded, stemCount), commonStems, 3);

logProgress(`both as ${dimensions} numbers`);
const both = unitRows(joinColumns(wordVectorMatrix, encoderMatrix));
const neighborDirections = centerRows(both, commonStems);
const short = unitRows(
  projectOnto(neighborDirections, principalDirections(neighborDirections, commonStems, dimensions)),
);

const neighbors = nearest(both, neighborCount, logPartialProgress("neighbors"));
const rarities = stems.map(rarityOf);
writeFileSync(
  flags.out,
  toSource({ stems: stems.map(({ text }) => text), rarities, vectors: short, neighbors }),
);
logProgress(`wrote ${flags.out}`);
