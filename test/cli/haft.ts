import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Terminal } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
export const example = (name: string): string =>
  fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** The trust store of this test file. */
export const configDirectory = join(tmpdir(), `haft-config-${randomUUID()}`);
afterAll(() => rmSync(configDirectory, { recursive: true, force: true }));

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export interface Situation {
  /** Standard input. */
  readonly input?: string;
  /** Answers typed at the terminal, in order. If set, the terminal is interactive. */
  readonly answers?: readonly string[];
  /** Whether a person typed the command at a terminal. Default: true. */
  readonly isOperator?: boolean;
  /** Receives output as it is printed. */
  readonly onOut?: (text: string) => void;
  /** Called when a prompt is shown. */
  readonly onAsk?: () => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly unread?: AbortSignal;
  readonly width?: number;
  readonly hasColor?: boolean;
  /** Current time in milliseconds since 1970. */
  readonly now?: number;
  /** Replaces waiting. */
  readonly wait?: () => Promise<void>;
}

/** Runs the command line with a simulated terminal. */
export const haft = async (words: readonly string[], situation: Situation = {}): Promise<Ran> => {
  const { input = "", answers, env, signal = new AbortController().signal, wait } = situation;
  const { unread = new AbortController().signal, width = 200, hasColor = false } = situation;
  const left = [...(answers ?? [])];
  const ran = { out: "", error: "" };
  const terminal: Terminal = {
    out: (text) => {
      ran.out += text;
      situation.onOut?.(text);
    },
    error: (text) => {
      ran.error += text;
    },
    // Folders are trusted unless a test sets `HAFT_TRUST: ""`.
    env: { HAFT_LEDGER: "memory", HAFT_TRUST: "1", HAFT_CONFIG_DIR: configDirectory, ...env },
    isInteractive: answers !== undefined,
    isOperator: situation.isOperator ?? true,
    hasColor,
    width,
    signal,
    unread,
    input: async () => input,
    ask: async (question) => {
      ran.error += question;
      situation.onAsk?.();
      return left.shift();
    },
    now: () => situation.now ?? Date.now(),
    wait: wait ?? (() => Promise.resolve()),
  };
  return { code: await runCommandLine(words, commands, terminal), ...ran };
};
