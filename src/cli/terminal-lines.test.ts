import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { waitFor } from "../../test/kit/wait-for.ts";
import { createLineReader } from "./run-process.ts";

const { signal } = new AbortController();

const opened = (interrupt = () => {}) => {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  output.setEncoding("utf8").on("data", (chunk) => {
    shown += chunk;
  });
  const lines = createLineReader({ input, output, interrupt });
  const ask = (question: string, ahead = true) => lines.ask({ question, ahead, signal });
  return { input, lines, ask, shown: () => shown };
};

it("takes each pasted line as one answer in order", async () => {
  const { input, ask, lines, shown } = opened();
  const first = ask("you> ");
  input.write("one\ntwo\nthree\n");
  expect([await first, await ask("you> "), await ask("you> ")]).toEqual(["one", "two", "three"]);
  expect(shown()).toContain("you> two\n");
  const fourth = ask("you> ");
  input.write("four\n");
  expect(await fourth).toBe("four");
  lines.close();
});

it("waits for the end of a line", async () => {
  const { input, ask, lines } = opened();
  const first = ask("you> ");
  input.write("one\ntw");
  expect(await first).toBe("one");
  const second = ask("you> ");
  input.write("o\n");
  expect(await second).toBe("two");
  lines.close();
});

it("does not answer an approval with a pasted line, and keeps that line", async () => {
  const { input, ask, lines, shown } = opened();
  const first = ask("you> ");
  input.write("Refund order 7\ny\n");
  expect(await first).toBe("Refund order 7");
  const approval = ask("Allow it? [y/N] ", false);
  await waitFor(() => expect(shown()).toContain("Allow it?"));
  input.write("n\n");
  expect(await approval).toBe("n");
  expect(await ask("you> ")).toBe("y");
  lines.close();
});

it("does not answer an approval with a line that was typed before it", async () => {
  const { input, ask, lines, shown } = opened();
  const first = ask("you> ");
  input.write("Refund order 7\n");
  expect(await first).toBe("Refund order 7");
  input.write("y\n");
  const approval = ask("Allow it? [y/N] ", false);
  await waitFor(() => expect(shown()).toContain("Allow it?"));
  input.write("n\n");
  expect([await approval, await ask("you> ")]).toEqual(["n", "y"]);
  lines.close();
});

it("ends after all pasted lines when the input ends", async () => {
  const { input, ask } = opened();
  const first = ask("you> ");
  input.end("one\ntwo\n");
  expect([await first, await ask("you> "), await ask("you> "), await ask("you> ")]).toEqual([
    "one",
    "two",
    undefined,
    undefined,
  ]);
});

it("ends a question on abort and reports Ctrl-C", async () => {
  let interrupted = 0;
  const stop = new AbortController();
  const { input, lines } = opened(() => {
    interrupted++;
    stop.abort();
  });
  const asked = lines.ask({ question: "you> ", ahead: true, signal: stop.signal });
  input.write("\u0003");
  expect(await asked).toBeUndefined();
  expect(interrupted).toBe(1);
  expect(await lines.ask({ question: "you> ", ahead: true, signal: stop.signal })).toBeUndefined();
  lines.close();
});
