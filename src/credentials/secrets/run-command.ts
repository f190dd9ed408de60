import { execFile } from "node:child_process";
import { maxBytes, SecretFault, toSecret } from "./secret-fault.ts";

interface CommandLimits {
  readonly env: readonly string[];
  readonly timeoutMs: number;
}

// Without these no program starts; everything else of this process, other secrets first, is not its business.
const always =
  process.platform === "win32" ? ["PATH", "HOME", "USERPROFILE", "SystemRoot"] : ["PATH", "HOME"];

const environment = (names: readonly string[]): Record<string, string> => {
  const chosen: Record<string, string> = {};
  for (const name of [...always, ...names]) {
    const value = process.env[name];
    if (value !== undefined) chosen[name] = value;
  }
  return chosen;
};

/** What Node says of a failed program quotes its arguments and what it printed, so none of that is kept. */
const why = (error: Error & { readonly code?: unknown; readonly killed?: boolean }, timeoutMs: number) => {
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "printed more than 64 KiB";
  if (error.killed === true) return `did not end within ${timeoutMs / 1000} seconds`;
  if (error.code === "ENOENT") return "does not exist";
  if (typeof error.code === "number") return `ended with code ${error.code}`;
  return typeof error.code === "string" ? `could not be started (${error.code})` : "was killed";
};

/** What a program prints. No shell reads its arguments, and it has nothing to read from. */
export const runCommand = (argv: readonly string[], { env, timeoutMs }: CommandLimits): Promise<string> => {
  const [program = "", ...rest] = argv;
  const where = `the command ${JSON.stringify(program)}`;
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      rest,
      {
        shell: false,
        env: environment(env),
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: maxBytes,
        encoding: "buffer",
        windowsHide: true,
      },
      (error, stdout) => {
        if (error !== null) return reject(new SecretFault(`${where} ${why(error, timeoutMs)}`));
        try {
          resolve(toSecret(stdout, where));
        } catch (fault) {
          reject(fault);
        }
      },
    );
    // One that asks for a password gets an end at once instead of waiting for its time to run out.
    child.stdin?.on("error", () => {}).end();
  });
};
