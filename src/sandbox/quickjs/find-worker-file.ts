import { existsSync } from "node:fs";
import { join } from "node:path";
import { here } from "./here.cjs";

/** From `here`, in the sources and in the package. */
const candidatePaths = ["worker/main.ts", "../sandbox/quickjs-worker.js"];

/** The file that workers of this engine run; none in a program into which the package was bundled. */
export const findWorkerFile = (): string | undefined =>
  here === undefined
    ? undefined
    : candidatePaths.map((place) => join(here!, place)).find((file) => existsSync(file));
