import { describe, expect, it } from "vitest";
import { ToolExecutionError } from "../../types/errors.ts";
import { contentEncodingOf, encodeContent, type RequestContent } from "./encode-content.ts";

const written = (content: Omit<RequestContent, "from">, body: unknown): string => {
  const made = encodeContent({ ...content, from: "body" }, { body });
  if (made === undefined || made instanceof ToolExecutionError) throw made ?? new Error("no body");
  return Buffer.from(made.body as string).toString();
};

it.each([
  ["application/json", "json"],
  ["application/vnd.api+json; charset=utf-8", "json"],
  ["application/x-www-form-urlencoded", "form"],
  ["multipart/form-data", "multipart"],
  ["text/plain", "text"],
  ["application/xml", "text"],
  ["application/soap+xml", "text"],
  ["application/octet-stream", "bytes"],
  ["image/png", "bytes"],
])("contentEncodingOf returns for %s the encoding %s", (type, form) => {
  expect(contentEncodingOf(type)).toBe(form);
});

describe("form body", () => {
  const type = "application/x-www-form-urlencoded";

  it("repeats the name for list items and writes objects as JSON", () => {
    expect(written({ type }, { a: [1, 2], b: { c: true }, d: "x y&z", none: null })).toBe(
      "a=1&a=2&b=%7B%22c%22%3Atrue%7D&d=x%20y%26z",
    );
  });

  it("writes a field in its configured style", () => {
    const fields = {
      a: { style: "form", explode: false },
      b: { style: "deepObject" },
      c: { contentType: "application/json" },
    } as const;
    expect(written({ type, fields }, { a: ["x", "y"], b: { k: 1 }, c: [1] })).toBe(
      "a=x%2Cy&b%5Bk%5D=1&c=%5B1%5D",
    );
  });

  it("is rejected when the value is not an object", () => {
    expect(encodeContent({ type, from: "body" }, { body: "text" })).toMatchObject({
      message: "/body is sent as a form, so it must be an object.",
      failure: { ran: false },
    });
  });
});

describe("multipart body", () => {
  const type = "multipart/form-data";
  const fields = { file: { isFile: true, contentType: "image/png" } };

  it("contains files as bytes, objects as JSON and lists item by item", async () => {
    const made = encodeContent(
      { type, from: "body", fields },
      { body: { file: "AAEC/w==", note: "a\r\nb", list: ["x", "y"], deep: { k: 1 } } },
    );
    if (made === undefined || made instanceof ToolExecutionError) throw new Error("refused");
    const read = await new Response(Buffer.from(made.body as Uint8Array), {
      headers: { "content-type": made.type },
    }).formData();
    const file = read.get("file") as File;
    expect(file).toMatchObject({ name: "file", type: "image/png" });
    expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([0, 1, 2, 255]);
    expect(read.get("note")).toBe("a\r\nb");
    expect(read.getAll("list")).toEqual(["x", "y"]);
    expect(await new Response(read.get("deep") as File).text()).toBe('{"k":1}');
  });

  it("escapes names with quotes and line breaks and is deterministic", () => {
    const name = 'a"\r\nX-Evil: 1\r\n\r\n';
    const once = written({ type }, { [name]: "v" });
    expect(once).toContain('name="a%22%0D%0AX-Evil: 1%0D%0A%0D%0A"\r\n\r\nv');
    expect(written({ type }, { [name]: "v" })).toBe(once);
  });

  it("rejects a file that is not base64 with its pointer", () => {
    expect(encodeContent({ type, from: "body", fields }, { body: { file: "no base64!" } })).toMatchObject({
      message: "/body/file is sent as bytes, so it must be their base64.",
    });
  });
});

it("encodeContent sends text unchanged, decodes bytes and returns undefined without a body", () => {
  expect(written({ type: "text/plain" }, "a\nb")).toBe("a\nb");
  expect(written({ type: "application/octet-stream" }, "aGVsbG8=")).toBe("hello");
  expect(encodeContent({ type: "application/json", from: "body" }, {})).toBeUndefined();
});
