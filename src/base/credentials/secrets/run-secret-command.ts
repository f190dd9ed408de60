import { type ChildProcess, spawn } from "node:child_process";
import { killTree } from "../../platform/process-tree.ts";
import { type ProgramStart, programStart } from "../../platform/program-start.ts";
import { decodeSecret, maxSecretBytes, SecretError } from "./secret-error.ts";

interface CommandLimits {
  readonly env: readonly string[];
  readonly timeoutMs: number;
}

// Without these no program starts; everything else of this process, other secrets first, is not its business.
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

/** On Windows cmd.exe runs a batch file, and reads its arguments: those that could mean something to it are refused. */
const cmdMetacharacters = /["%!^&|<>]/;

/** How a program is started, or a fault: what Node says quotes arguments, so none of that is kept. */
export const commandStartOf = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  system: Omit<Parameters<typeof programStart>[2], "env"> = { os: process.platform },
): ProgramStart => {
  const [program = "", ...rest] = argv;
  const refused = new SecretError(
    `the command ${JSON.stringify(program)} is a batch file, and an argument has characters that cmd.exe would read; name the program that it starts`,
  );
  try {
    const start = programStart(program, rest, { ...system, env });
    if (start.isVerbatim && rest.some((each) => cmdMetacharacters.test(each))) throw refused;
    return start;
  } catch {
    throw refused;
  }
};

/** What a program prints. No shell reads its arguments, and it has nothing to read from. */
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
        // A group of its own, so that what it started ends with it.
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
    const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} seconds`), timeoutMs);
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
    // One that asks for a password gets an end at once instead of waiting for its time to run out.
    child.stdin?.on("error", () => {}).end();
  });
};
