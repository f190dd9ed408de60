import type { ProgramAnswer, ProgramResult, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";

/** Runs a program without isolation. */
export type OpenEngine = (program: SandboxProgram) => Promise<ProgramResult>;

/** Unbounded output of a run on an open engine. */
export class OpenRun {
  readonly #logs: { level: "log"; text: string }[] = [];
  #calls = 0;

  readonly print = (...words: readonly unknown[]): void => {
    this.#logs.push({ level: "log", text: words.map(String).join(" ") });
  };

  /** Forwards a call of any function name. */
  answer({ answer }: SandboxProgram, name: string, input: string): Promise<ProgramAnswer> {
    const number = this.#calls++;
    return answer?.({ number, name, input }) ?? Promise.resolve({ ok: true, value: "null" });
  }

  ended(ending: ProgramResult["ending"]): ProgramResult {
    const usage = { wallMs: 0, cpuMs: 0, calls: this.#calls };
    return { ending, logs: this.#logs, logsCut: false, files: {}, usage };
  }

  value(value: unknown): ProgramResult {
    return this.ended({ kind: "value", value });
  }

  /** Reads an error as careless code does. */
  error(error: { readonly name: string; readonly message: string }): ProgramResult {
    return this.ended({ kind: "error", name: error.name, message: error.message });
  }
}
