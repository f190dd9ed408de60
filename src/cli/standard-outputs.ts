/** The two outputs of this process. Whoever stops reading them does not end what is under way. */
export interface StandardOutputs {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Aborted when nobody reads standard output any more. */
  readonly unread: AbortSignal;
}

/** A closed pipe, or a terminal whose window is gone. */
const gone: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

export const standardOutputs = ({
  stdout,
  stderr,
}: Pick<NodeJS.Process, "stdout" | "stderr">): StandardOutputs => {
  const [unread, unheard] = [new AbortController(), new AbortController()];
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (unread.signal.aborted) return;
    unread.abort();
    if (gone.has(error.code)) return;
    // Something did want to read it, such as a file on a disk that is full.
    stderr.write(`haft: standard output cannot be written: ${error.message}\n`);
    process.once("exit", () => {
      process.exitCode ||= 1;
    });
  });
  stderr.on("error", () => unheard.abort());
  return {
    out: (text) => {
      if (!unread.signal.aborted) stdout.write(text);
    },
    error: (text) => {
      if (!unheard.signal.aborted) stderr.write(text);
    },
    unread: unread.signal,
  };
};
