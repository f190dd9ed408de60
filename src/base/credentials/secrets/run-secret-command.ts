import { type ChildProcess, spawn } from "node:child_process";
import { killTree } from "../../platform/process-tree.ts";
import { type ProgramStart, programStart } from "../../platform/program-start.ts";
import { decodeSecret, maxSecretBytes, SecretError } from "../secret-source.ts";

interface CommandLimits {
  readonly env: readonly string[];
  readonly timeoutMs: number;
}

// The rest of the environment may hold other secrets.
const inheritedVariables =
  process.platform === "win32"
    ? ["PATH", "PATHEXT", "COMSPEC", "HOME", "USERPROFILE", "SystemRoot"]
    : ["PATH", "HOME"];

const childEnvironment = (names: readonly string[]): Record<string, string> => {
  const chosen: Record<string, string> = {};
  for (const name of [...inheritedVariables, ...names]) {
    const value = process.env[name];
    if (value !== undefined) chosen[name] = value;
  }
  return chosen;
};

/** cmd.exe runs batch files and interprets these characters. */
const cmdMetacharacters = /["%!^&|<>]/;

/** Node's error message quotes the arguments, so it is replaced. */
export const commandStartOf = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  system: Omit<Parameters<typeof programStart>[2], "env"> = { os: process.platform },
): ProgramStart => {
  const [program = "", ...rest] = argv;
  const refused = new SecretError(
    `the command ${JSON.stringify(program)} is a batch file, and an argument has characters that cmd.exe interprets; use the program that the batch file starts`,
  );
  try {
    const start = programStart(program, rest, { ...system, env });
    if (start.isVerbatim && rest.some((each) => cmdMetacharacters.test(each))) throw refused;
    return start;
  } catch {
    throw refused;
  }
};

/** Runs without a shell and without input. */
export const runSecretCommand = (
  argv: readonly string[],
  { env, timeoutMs }: CommandLimits,
): Promise<string> => {
  const where = `the command ${JSON.stringify(argv[0] ?? "")}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new SecretError(`${where} ${why}`));
    const seen = childEnvironment(env);
    let child: ChildProcess;
    try {
      const { file, args, isVerbatim } = commandStartOf(argv, seen);
      child = spawn(file, args, {
        shell: false,
        env: seen,
        // A process group, so that child processes are killed too.
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
        windowsVerbatimArguments: isVerbatim,
      });
    } catch (error) {
      return error instanceof SecretError ? reject(error) : fail("could not be started");
    }
    const end = (why: string): void => {
      clearTimeout(timer);
      if (child.pid !== undefined) killTree(child.pid);
      child.stdout?.destroy();
      fail(why);
    };
    const timer = setTimeout(() => end(`did not finish within ${timeoutMs / 1000} seconds`), timeoutMs);
    const printed: Buffer[] = [];
    let length = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      printed.push(chunk);
      if (length > maxSecretBytes) end("printed more than 64 KiB");
    });
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(code === "ENOENT" ? "does not exist" : `could not be started (${code ?? "unknown"})`);
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) return fail(code === null ? "was killed" : `ended with code ${code}`);
      try {
        resolve(decodeSecret(Buffer.concat(printed), where));
      } catch (fault) {
        reject(fault);
      }
    });
    // A password prompt gets end-of-file.
    child.stdin?.on("error", () => {}).end();
  });
};
