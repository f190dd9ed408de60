import { sep } from "node:path";
import { isProtectedFile } from "../../../base/platform/protected-files.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import { quotePath } from "./file-system-errors.ts";

/** Files that decide what Haft runs, or record what it did. */
const haftFileName =
  /^(haft\.(config\.[^.]+|mcp\.json|lock|openapi\.json)|trust\.(json|key)|(haft|ledger)\.(db|sqlite3?)([-.].*)?)$/;
/** Named after its ledger. */
const keyFileName = /\.key$/;
/** Such as `haft.mcp.json.1a2b3c4d.new`. */
const draftSuffix = /\.[0-9a-f]{8,12}\.new$/;

/** Some file systems ignore case, normalize Unicode or drop final dots. */
const foldedName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

/** Haft's own files are never written, and keys and tokens never read. */
export const haftFileProblem = (
  path: string,
  real: string,
  use: "read" | "write",
): ToolExecutionError | undefined => {
  const parts = real.split(sep).map(foldedName);
  const name = (parts.at(-1) ?? "").replace(draftSuffix, "");
  const around = parts.slice(0, -1);
  const isSecret = keyFileName.test(name) || around.includes("mcp-tokens");
  if (use === "read")
    return isSecret || name === "trust.json"
      ? refusedCallError(`${quotePath(path)} holds keys or tokens, which file tools never read.`)
      : undefined;
  return isSecret || haftFileName.test(name) || around.includes(".haft") || isProtectedFile(real)
    ? refusedCallError(
        `${quotePath(path)} is a file of Haft itself, which file tools never write. A person changes it.`,
      )
    : undefined;
};
