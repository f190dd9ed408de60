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
  /** What is piped in. */
  readonly input?: string;
  /** What a person answers, one after another; their being there makes the terminal one of a person. */
  readonly answers?: readonly string[];
  /** Whether a person typed the command at a terminal. Unless set: yes. */
  readonly isOperator?: boolean;
  /** Hears what is printed as it is printed. */
  readonly onOut?: (text: string) => void;
  /** Happens while a person is asked. */
  readonly onAsk?: () => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly unread?: AbortSignal;
  readonly width?: number;
  readonly hasColor?: boolean;
  /** What time it is, in milliseconds since 1970. */
  readonly now?: number;
  /** Happens in place of waiting. */
  readonly wait?: () => Promise<void>;
}

/** The command line with a terminal made of texts. */
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
    // Folders are trusted unless a test says `HAFT_TRUST: ""`.
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
