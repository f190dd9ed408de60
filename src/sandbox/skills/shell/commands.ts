import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { SandboxError } from "../../../types/errors.ts";

/** A program to start, with its words as they are: no shell reads them. It has no network and no variables of this process. */
export interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Real paths of folders that it may read, and of those that it may change; it starts in `folder`, which is one of them. */
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  readonly folder?: string;
  readonly timeoutMs: number;
  /** Most bytes that are kept of what it prints, of each stream. */
  readonly outputBytes: number;
}

export interface CommandResult {
  /** Nothing where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** True where it printed more than is kept. */
  readonly isCut: boolean;
  /** True where its time was up. */
  readonly isLate: boolean;
}

/** Starts programs in an isolation of their own, and never without it. */
export interface CommandRunner {
  readonly run: (request: CommandRequest) => Effect<CommandResult, SandboxError>;
}

/** What starts programs for `shell`, where that is not bubblewrap. */
export class Commands extends Context.Service<Commands, CommandRunner>()("haft/Commands") {}
