import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { expected, finalText } from "./case.ts";

export interface Contender {
  readonly name: string;
  readonly version: string;
  /** Resolves once one complete turn of `calls` tool calls returned the expected results. */
  readonly make: (calls: number) => Promise<Turn>;
}

export type Turn = () => Promise<void>;

export interface Answer {
  readonly text: string | undefined;
  readonly results: readonly unknown[];
}

export const versionOf = (packageName: string): string => {
  const manifest = findPackageJSON(packageName, import.meta.url);
  if (manifest === undefined) throw new Error(`${packageName} is not installed: run npm install in bench/`);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
};

/** Runs two turns, because a fake model that is out of step only fails in the second. */
export const verified = async <R>(
  calls: number,
  turn: () => Promise<R>,
  answerOf: (result: R) => Answer,
): Promise<Turn> => {
  for (const which of ["first", "second"]) {
    const answer = answerOf(await turn());
    if (answer.text !== finalText) throw new Error(`${which} turn ends with ${JSON.stringify(answer.text)}`);
    if (answer.results.length !== calls) {
      throw new Error(`${which} turn has ${answer.results.length} results for ${calls} calls`);
    }
    const wrong = answer.results.find((result) => !isDeepStrictEqual(result, expected));
    if (wrong !== undefined) throw new Error(`${which} turn has the result ${JSON.stringify(wrong)}`);
  }
  return async () => {
    await turn();
  };
};
