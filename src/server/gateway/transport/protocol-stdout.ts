import { Writable } from "node:stream";

/** Standard output, for one writer alone. */
export interface ProtocolStdout extends Disposable {
  readonly stdout: Writable;
}

const ignore = (): void => {};

/**
 * Takes standard output for the protocol: whatever else is written there, as by `console.log` in a tool's code, goes to
 * standard error instead of to the client, who would read it as an answer. Disposed, it is as it was.
 */
export const takeProtocolStdout = (
  out: Writable = process.stdout,
  error: Writable = process.stderr,
): ProtocolStdout => {
  const descriptors = Object.getOwnPropertyDescriptors(out);
  const write = out.write.bind(out) as (
    chunk: unknown,
    encoding: BufferEncoding,
    done: WriteCallback,
  ) => boolean;
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, done),
  });
  const destroyStdout = (trouble: Error): void => void stdout.destroy(trouble);
  // One without a listener would end this process.
  stdout.on("error", ignore);
  out.on("error", destroyStdout);
  const methods = {
    write: error.write.bind(error),
    end: (...words: unknown[]) => {
      if (words[0] !== undefined && typeof words[0] !== "function") error.write(words[0]);
      return out;
    },
  };
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(out, name, { value, configurable: true, writable: true });
  return {
    stdout,
    [Symbol.dispose]: () => {
      out.off("error", destroyStdout).on("error", ignore);
      for (const name of ["write", "end"] as const) {
        const before = descriptors[name];
        if (before === undefined) Reflect.deleteProperty(out, name);
        else Object.defineProperty(out, name, before);
      }
    },
  };
};

type WriteCallback = (error?: Error | null) => void;
