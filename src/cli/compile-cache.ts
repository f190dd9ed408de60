import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Uses the user's own cache folder. In the temporary folder, Node's default, other users could place code
 * that would run as this user.
 */
export const enableCliCompileCache = (env: Readonly<Record<string, string | undefined>>): void => {
  const { XDG_CACHE_HOME: own = "", HOME = "" } = env;
  if (own !== "" || HOME !== "" || process.platform === "win32")
    enableCompileCache(join(own || join(homedir(), ".cache"), "haft", "compiled"));
};
