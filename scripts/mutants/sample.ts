import { createHash } from "node:crypto";

/** The properties of a mutant that Stryker passes to checkers. */
export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const seed = "haft 20261116";

/** The ids of `count` mutants. The same source gives the same sample on every machine. */
export const drawSample = (mutants: readonly Mutant[], count: number, root: string): ReadonlySet<string> => {
  const draw = ({ fileName, mutatorName, replacement, location: { start, end } }: Mutant): string => {
    const file = fileName.slice(root.length).replaceAll("\\", "/");
    const place = [start.line, start.column, end.line, end.column];
    return createHash("sha256")
      .update(JSON.stringify([seed, file, place, mutatorName, replacement]))
      .digest("hex");
  };
  const drawn = mutants.map((mutant) => ({ id: mutant.id, draw: draw(mutant) }));
  const sorted = drawn.toSorted((one, other) => (one.draw < other.draw ? -1 : 1));
  return new Set(sorted.slice(0, count).map(({ id }) => id));
};
