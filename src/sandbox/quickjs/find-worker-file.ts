import { existsSync } from "node:fs";
import { join } from "node:path";
import { here } from "./here.cjs";

/** In the sources and in the package. */
const candidatePaths = ["worker/main.ts", "../sandbox/quickjs-worker.js"];

/** Undefined if the package was bundled without it. */
export const findWorkerFile = (): string | undefined =>
  here === undefined
    ? undefined
    : candidatePaths.map((place) => join(here!, place)).find((file) => existsSync(file));
