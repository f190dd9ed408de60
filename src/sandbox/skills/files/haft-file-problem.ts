import { sep } from "node:path";
import { isProtectedFile } from "../../../base/platform/protected-files.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import { quotePath } from "./file-system-errors.ts";

/** Configuration, lock, imported documents, trust and ledgers: these files decide what Haft runs, or record what it did. */
const haftFileName =
  /^(haft\.(config\.[^.]+|mcp\.json|lock|openapi\.json)|trust\.(json|key)|(haft|ledger)\.(db|sqlite3?)([-.].*)?)$/;
/** The key of a ledger is named after the ledger's file, whatever that is called. */
const keyFileName = /\.key$/;
/** Haft writes `haft.mcp.json.1a2b3c4d.new` and renames it to `haft.mcp.json`. */
const draftSuffix = /\.[0-9a-f]{8,12}\.new$/;

/** File systems that ignore case, normalize Unicode or drop final dots open the same file under several names. */
const foldedName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

/**
 * Why a real path is never written, in whatever folder it is: it is one of Haft's own files. Files with keys and tokens
 * are not read either.
 */
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
