import { expect, it, vi } from "vitest";
import { parseJsonObject, readRequestBytes } from "./read-body.ts";

const limits = { maxBodyBytes: 10, bodyTimeoutMs: 1_000 };

const post = (pieces: readonly string[], headers: Record<string, string> = {}): Request => {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = bytes.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  return new Request("http://a.test", { method: "POST", body, headers, duplex: "half" } as RequestInit);
};

it("joins the chunks of a body and reads a missing one as empty", async () => {
  expect(Buffer.from(await readRequestBytes(post(["ab", "cd"]), limits)).toString()).toBe("abcd");
  expect(await readRequestBytes(new Request("http://a.test"), limits)).toHaveLength(0);
});

it("refuses a body that is too large by its header or by its bytes", async () => {
  const tooLarge = { status: 413, code: "body_too_large" };
  await expect(readRequestBytes(post([], { "content-length": "11" }), limits)).rejects.toMatchObject(
    tooLarge,
  );
  await expect(readRequestBytes(post(["x".repeat(6), "x".repeat(5)]), limits)).rejects.toMatchObject(
    tooLarge,
  );
});

it("refuses a body that does not arrive in time, and cancels it", async () => {
  vi.useFakeTimers();
  try {
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const request = new Request("http://a.test", { method: "POST", body, duplex: "half" } as RequestInit);
    const read = readRequestBytes(request, limits);
    const refused = expect(read).rejects.toMatchObject({ status: 408, code: "body_too_slow" });
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});

it("reports a body that breaks off as a disconnected client", async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
  const request = new Request("http://a.test", { method: "POST", body, duplex: "half" } as RequestInit);
  await expect(readRequestBytes(request, limits)).rejects.toMatchObject({ status: 499 });
});

it.each([
  ["text that is not JSON", "{"],
  ["a list", "[]"],
  ["null", "null"],
  ["a duplicate key", '{"a":1,"a":2}'],
  ["__proto__", '{"__proto__":{}}'],
  ["a number that would change", '{"a":12345678901234567890}'],
  ["deep nesting", `{"a":${"[".repeat(101)}${"]".repeat(101)}}`],
])("refuses %s", (_, text) => {
  expect(() => parseJsonObject(new TextEncoder().encode(text))).toThrow(
    expect.objectContaining({ status: 400, code: "unreadable" }),
  );
});

it("refuses bytes that are not UTF-8", () => {
  expect(() => parseJsonObject(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow("not UTF-8");
});
