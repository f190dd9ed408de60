import { basename, dirname, join } from "node:path";
import { hashText } from "../base/json/canonical-json.ts";
import { checkFields } from "../base/json/check-fields.ts";
import { ConfigurationError } from "../types/errors.ts";
import { type CassetteOptions, cassetteFields } from "./cassette/cassette-options.ts";
import { type Cassette, cassette } from "./cassette.ts";

/** `expect` of Vitest or Jest. A concurrent test passes the one of its own context. */
export interface TestExpect {
  getState(): { readonly testPath?: string | undefined; readonly currentTestName?: string | undefined };
}

/** Options of `useCassette`. */
export interface UseCassetteOptions extends CassetteOptions {
  /** Distinguishes several cassettes of one test. */
  readonly name?: string;
  /**
   * Registers a hook for the end of the test, such as `onTestFinished` of Vitest. Without it, use `await
   * using`.
   */
  readonly after?: (hook: (context?: unknown) => Promise<void>) => unknown;
}

/** A second cassette would overwrite the first. */
const openCassettePaths = new Set<string>();

/**
 * Opens the cassette of the running test: `__cassettes__/<test file>/<test name>.json` next to the test file.
 */
export const useCassette = (expect: TestExpect, options: UseCassetteOptions = {}): Cassette => {
  checkFields("useCassette", options, ["name", "after", ...cassetteFields]);
  const { name, after, ...rest } = options;
  const path = pathOf(expect, name);
  // Some file systems ignore case.
  const key = path.toLowerCase();
  if (openCassettePaths.has(key)) {
    throw useCassetteError(
      `The test has already opened the cassette ${path}. Set a \`name\` for the second one.`,
    );
  }
  const recording = cassette(path, rest);
  openCassettePaths.add(key);
  const finish = async (isKept: boolean): Promise<void> => {
    if (!openCassettePaths.delete(key)) return;
    if (isKept) await recording[Symbol.asyncDispose]();
  };
  // A partial recording of a failed test would make the next run fail for another reason.
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
    throw useCassetteError(
      "useCassette must be called inside a test: `expect.getState()` has no current test.",
    );
  }
  const title = name === undefined ? currentTestName : `${currentTestName} > ${name}`;
  return join(dirname(testPath), "__cassettes__", basename(testPath), `${toFileName(title)}.json`);
};

/** A hash is added if the title cannot be reconstructed. */
const toFileName = (title: string): string => {
  const plain = title
    .replaceAll(" > ", "--")
    .replaceAll(/[^\p{L}\p{N}-]+/gu, "-")
    .slice(0, maxFileNameLength);
  const isFaithful = plain.replaceAll("--", " > ").replaceAll("-", " ") === title;
  return isFaithful ? plain : `${plain}-${hashText(title).slice(0, 8)}`;
};

const maxFileNameLength = 100;

const hasFailed = (context: unknown): boolean => {
  const { task } = (context ?? {}) as { readonly task?: { readonly result?: { readonly state?: unknown } } };
  return task?.result?.state === "fail";
};

const useCassetteError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
