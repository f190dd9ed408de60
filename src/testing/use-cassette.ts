import { basename, dirname, join } from "node:path";
import { checkFields } from "../base/json/check-fields.ts";
import { hashText } from "../base/json/hash.ts";
import { ConfigurationError } from "../types/errors.ts";
import { type CassetteOptions, cassetteFields } from "./cassette/cassette-options.ts";
import { type Cassette, cassette } from "./cassette.ts";

/** `expect` of Vitest or Jest; of a test that runs beside others, the one of its own context. */
export interface TestExpect {
  getState(): { readonly testPath?: string | undefined; readonly currentTestName?: string | undefined };
}

/** How `useCassette` names its tape and learns that the test is over. */
export interface UseCassetteOptions extends CassetteOptions {
  /** Tells several tapes of one test apart. */
  readonly name?: string;
  /**
   * Registers what is done once the test is over, such as `onTestFinished` of Vitest. Without it the cassette is for
   * `await using`.
   */
  readonly after?: (hook: (context?: unknown) => Promise<void>) => unknown;
}

/** Files that a test has open: a second one would overwrite the first. */
const openCassettePaths = new Set<string>();

/** The cassette of the running test, in `__cassettes__/<test file>/<test name>.json` beside it. */
export const useCassette = (expect: TestExpect, options: UseCassetteOptions = {}): Cassette => {
  checkFields("useCassette", options, ["name", "after", ...cassetteFields]);
  const { name, after, ...rest } = options;
  const path = pathOf(expect, name);
  // Some file systems do not tell letters of either case apart.
  const key = path.toLowerCase();
  if (openCassettePaths.has(key)) {
    throw useCassetteError(`The test has the cassette ${path} open already. Give the second one a \`name\`.`);
  }
  const recording = cassette(path, rest);
  openCassettePaths.add(key);
  const finish = async (isKept: boolean): Promise<void> => {
    if (!openCassettePaths.delete(key)) return;
    if (isKept) await recording[Symbol.asyncDispose]();
  };
  // Half a tape would make the next run fail for another reason than this one did.
  after?.((context) => finish(recording.mode === "replay" || !hasFailed(context)));
  return Object.freeze(
    Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(recording),
        [Symbol.asyncDispose]: { value: () => finish(true), enumerable: true },
      },
    ) as Cassette,
  );
};

const pathOf = (expect: TestExpect, name: string | undefined): string => {
  const { testPath, currentTestName } = expect.getState();
  if (!testPath || !currentTestName) {
    throw useCassetteError("useCassette belongs inside a test: `expect.getState()` names no test right now.");
  }
  const title = name === undefined ? currentTestName : `${currentTestName} > ${name}`;
  return join(dirname(testPath), "__cassettes__", basename(testPath), `${toFileName(title)}.json`);
};

/** Readable, and another title never gives the same name: where the title cannot be read back, a hash is added. */
const toFileName = (title: string): string => {
  const plain = title
    .replaceAll(" > ", "--")
    .replaceAll(/[^\p{L}\p{N}-]+/gu, "-")
    .slice(0, maxFileNameLength);
  const isFaithful = plain.replaceAll("--", " > ").replaceAll("-", " ") === title;
  return isFaithful ? plain : `${plain}-${hashText(title).slice(0, 8)}`;
};

const maxFileNameLength = 100;

/** Vitest hands its hooks the test with what came of it so far. */
const hasFailed = (context: unknown): boolean => {
  const { task } = (context ?? {}) as { readonly task?: { readonly result?: { readonly state?: unknown } } };
  return task?.result?.state === "fail";
};

const useCassetteError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
