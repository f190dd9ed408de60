import { Console } from "node:console";
import { PassThrough, Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, it } from "vitest";
import { takeProtocolStdout } from "./protocol-stdout.ts";

const streams = () => ({ out: new PassThrough(), error: new PassThrough() });
const textOf = (stream: PassThrough): string => String(stream.read() ?? "");

it("redirects all other writes from standard output to standard error", async () => {
  const { out, error } = streams();
  using own = takeProtocolStdout(out, error);
  new Console(out).log("logged");
  out.write("written\n");
  await pipeline(Readable.from(["piped\n"]), out, { end: false });
  out.end("last\n");
  await new Promise((done) => own.stdout.write("answer\n", done));
  expect(textOf(out)).toBe("answer\n");
  expect(textOf(error)).toBe("logged\nwritten\npiped\nlast\n");
});

it("restores standard output when it is disposed", () => {
  const { out, error } = streams();
  const { write } = out;
  const own = takeProtocolStdout(out, error);
  expect(out.write).not.toBe(write);
  own[Symbol.dispose]();
  expect(out.write).toBe(write);
  out.write("mine again");
  expect(textOf(out)).toBe("mine again");
});

it("reports to its owner that the output is broken", async () => {
  const out = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
  using own = takeProtocolStdout(out, new PassThrough());
  const received = new Promise((done) => own.stdout.once("error", done));
  own.stdout.write("answer\n");
  expect(await received).toMatchObject({ message: "EPIPE" });
});
