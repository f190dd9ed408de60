import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { SandboxError } from "../../../types/errors.ts";

/** Starts without a shell, network and inherited environment variables. */
export interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Real paths. `folder` is the working directory and one of them. */
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  readonly folder?: string;
  readonly timeoutMs: number;
  /** Per output stream. */
  readonly outputBytes: number;
}

export interface CommandResult {
  /** Undefined if a signal ended the program. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
  readonly isLate: boolean;
}

/** Starts programs only in isolation. */
export interface CommandRunner {
  readonly run: (request: CommandRequest) => Effect<CommandResult, SandboxError>;
}

/** Replaces bubblewrap for `shell`. */
export class Commands extends Context.Service<Commands, CommandRunner>()("haft/Commands") {}
