import type { SandboxLogLine } from "../../sandbox.ts";

const levels = ["log", "warn", "error"] as const;

export interface GuestLogs {
  readonly add: (level: number, text: string) => void;
  /** Lines since the previous call. */
  readonly take: () => { readonly logs: readonly SandboxLogLine[]; readonly logsCut: boolean };
}

export const guestLogs = (mostBytes: number): GuestLogs => {
  let left = mostBytes;
  let logsCut = false;
  let logs: SandboxLogLine[] = [];
  return {
    add: (level, text) => {
      if (logsCut) return;
      // Counts the line end, so that empty lines are bounded too.
      const bytes = Buffer.byteLength(text) + 1;
      logsCut = bytes > left;
      const kept = logsCut
        ? Buffer.from(text)
            .subarray(0, left)
            .toString()
            .replace(/\ufffd+$/, "")
        : text;
      left -= bytes;
      if (!logsCut || kept !== "") logs.push({ level: levels[level] ?? "log", text: kept });
    },
    take: () => {
      const taken = { logs, logsCut };
      logs = [];
      return taken;
    },
  };
};
