import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { SandboxError, type ToolExecutionError } from "../../../types/errors.ts";
import {
  type EngineName,
  type Language,
  type ProgramEnding,
  type ProgramResult,
  type SandboxLimits,
  type SandboxProgram,
  toLine,
} from "../../sandbox.ts";
import { Sandboxes } from "../../sandboxes.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";

export interface CodeExecuteInput {
  readonly language: Language;
  readonly source: string;
  readonly input?: unknown;
  readonly files?: readonly CodeFile[];
}

interface CodeFile {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "utf-8" | "base64";
}

/** Most restricted first. */
const enginesByLanguage: Readonly<Record<Language, readonly EngineName[]>> = {
  javascript: ["quickjs", "deno"],
  typescript: ["quickjs", "deno"],
  python: ["pyodide", "bubblewrap"],
};

/** Value, output and files must fit into one result. */
const codeExecuteLimits: Partial<SandboxLimits> = {
  resultBytes: 256 * 1024,
  logBytes: 64 * 1024,
  fileBytes: 256 * 1024,
};

export const codeExecutor =
  ({ code }: SkillSettings) =>
  (input: CodeExecuteInput): Effect.Effect<object, ToolExecutionError | SandboxError> =>
    Effect.gen(function* () {
      const files = yield* readFiles(input.files ?? []);
      const engine = yield* chooseEngine(input, code.engines);
      const pool = yield* Effect.serviceOption(Sandboxes);
      if (Option.isNone(pool)) return yield* Effect.fail(noSandboxError);
      const program: SandboxProgram = {
        language: input.language,
        source: input.source,
        input: input.input ?? null,
        limits: { ...codeExecuteLimits, ...code.limits },
        ...(input.files === undefined ? {} : { files }),
      };
      return toCodeResult(yield* pool.value.run(program, engine), engine);
    });

const noSandboxError = new SandboxError(
  "sandbox_failed",
  "This runtime has no sandbox, so code-execute cannot run programs. Open the runtime with Haft.open, or provide the service Sandboxes.",
  { ran: false },
);

const chooseEngine = (
  { language, files = [] }: CodeExecuteInput,
  granted: readonly EngineName[],
): Effect.Effect<EngineName, ToolExecutionError> => {
  const able = enginesByLanguage[language].filter((each) => files.length === 0 || each !== "quickjs");
  const engine = able.find((each) => granted.includes(each));
  if (engine !== undefined) return Effect.succeed(engine);
  const wanted = JSON.stringify([...granted, able[0]]);
  const what = files.length > 0 ? `${language} with files` : language;
  return Effect.fail(
    refusedCallError(
      `No engine that runs ${what} is granted. An operator can grant one: config: { skills: { code: { engines: ${wanted} } } }.`,
    ),
  );
};

const readFiles = (
  files: readonly CodeFile[],
): Effect.Effect<Readonly<Record<string, Uint8Array>>, ToolExecutionError> =>
  Effect.gen(function* () {
    const read: Record<string, Uint8Array> = {};
    for (const { path, content, encoding = "utf-8" } of files) {
      if (!/^(?!\/)[\w./ -]+$/.test(path) || path.split("/").some((part) => part === ".." || part === "")) {
        const why = `The file ${JSON.stringify(path.slice(0, 100))} needs a relative path of letters, digits, "_", "-", "." and "/".`;
        return yield* Effect.fail(refusedCallError(why));
      }
      read[path] = Buffer.from(content, encoding);
    }
    return read;
  });

const toCodeResult = (
  { ending, logs, logsCut, files, usage }: ProgramResult,
  engine: EngineName,
): object => ({
  ...toEnding(ending),
  output: logs.map(toLine).join("\n"),
  ...(logsCut ? { outputCut: true } : {}),
  ...(Object.keys(files).length === 0 ? {} : { files: Object.entries(files).map(toFile) }),
  engine,
  usage: { wallMs: Math.round(usage.wallMs), cpuMs: Math.round(usage.cpuMs) },
});

const toEnding = (ending: ProgramEnding): object => {
  if (ending.kind === "value") return { status: "done", value: ending.value ?? null };
  if (ending.kind === "stopped")
    return { status: "stopped", error: { limit: ending.limit, message: ending.message } };
  if (ending.kind === "lost") return { status: "lost", error: { message: ending.message } };
  const { name, message, line, column } = ending;
  return {
    status: "error",
    error: {
      name,
      message,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    },
  };
};

const toFile = ([path, bytes]: readonly [string, Uint8Array]): CodeFile => {
  try {
    return { path, content: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "utf-8" };
  } catch {
    return { path, content: Buffer.from(bytes).toString("base64"), encoding: "base64" };
  }
};
