import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps what V8 has compiled for the next start. Node's own place for it is the temporary folder, which others may
 * write to, and whoever can write there runs code as this user: so it is kept in the user's own cache. A folder that
 * cannot be written is no error. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE hold as for any program.
 */
export const enableCliCompileCache = (env: Readonly<Record<string, string | undefined>>): void => {
  const { XDG_CACHE_HOME: own = "", HOME = "" } = env;
  if (own !== "" || HOME !== "" || process.platform === "win32")
    enableCompileCache(join(own || join(homedir(), ".cache"), "haft", "compiled"));
};
