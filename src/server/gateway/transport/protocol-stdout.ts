import { Writable } from "node:stream";

export interface ProtocolStdout extends Disposable {
  readonly stdout: Writable;
}

const ignore = (): void => {};

/**
 * Reserves standard output for the protocol. Other writes, such as `console.log`, go to standard error until
 * it is disposed.
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
  // An unhandled "error" event would end the process.
  stdout.on("error", ignore);
  out.on("error", destroyStdout);
  const methods = {
    write: error.write.bind(error),
    end: (...args: unknown[]) => {
      if (args[0] !== undefined && typeof args[0] !== "function") error.write(args[0]);
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
