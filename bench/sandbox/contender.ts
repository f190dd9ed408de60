/** Answers a call of a program: JSON text in, JSON text out. */
export type Answer = (input: string) => Promise<string>;

/** Runs untrusted JavaScript. */
export interface Runner {
  /** Runs the body of an async function with `input` and `tools.f`. */
  readonly run: (source: string, input: unknown, answer: Answer) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface SandboxContender {
  readonly name: string;
  readonly open: () => Promise<Runner>;
}

export const contenders = {
  haft: async () => (await import("./haft.ts")).haft,
  deno: async () => (await import("./deno-child.ts")).denoChild,
  "isolated-vm": async () => (await import("./isolated-vm.ts")).isolatedVm,
} satisfies Readonly<Record<string, () => Promise<SandboxContender>>>;

export type ContenderId = keyof typeof contenders;
export const ids = Object.keys(contenders) as readonly ContenderId[];
