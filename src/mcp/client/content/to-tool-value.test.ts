import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../../types/errors.ts";
import type { ContentBlock, RemoteResult } from "../../../types/mcp.ts";
import { restoreParts } from "./media-blocks.ts";
import { toToolValue } from "./to-tool-value.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });
const free = { hasOutput: false };
const typed = { hasOutput: true };
const refused = (result: unknown, of = free): string => {
  try {
    toToolValue(result as RemoteResult, of);
  } catch (error) {
    if (ToolError.is(error)) return `${error.code}: ${error.message}`;
  }
  return "taken";
};

describe("result of a tool without an output schema", () => {
  it("becomes a string when it is one plain text block", () => {
    expect(toToolValue({ content: [text("four")] }, free)).toEqual({ value: "four" });
  });

  it("keeps the block when it has more than text", () => {
    const block = { type: "text", text: "four", annotations: { audience: ["user"] } };
    expect(toToolValue({ content: [block] }, free).value).toEqual({ content: [block] });
  });

  it("keeps all blocks in order, including unknown types", () => {
    const content = [text("a"), { type: "image", src: "AA==" }, { type: "scent", of: 1 }];
    expect(toToolValue({ content }, free)).toEqual({ value: { content } });
  });

  it("moves binary data into parts that the blocks reference", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const note = { annotations: { audience: ["user"] } };
    const resource = { uri: "file:///home/ada/plan.pdf", mimeType: "application/pdf", blob: "BBBB" };
    const content = [
      text("see"),
      { ...image, ...note },
      { type: "audio", data: "CCCC", mimeType: "audio/wav" },
      { type: "resource", resource },
    ];
    const { value, parts } = toToolValue({ content }, free);
    expect(parts).toEqual([
      { kind: "image", mediaType: "image/png", data: "AAAA" },
      { kind: "audio", mediaType: "audio/wav", data: "CCCC" },
      { kind: "file", mediaType: "application/pdf", data: "BBBB", name: "plan.pdf" },
    ]);
    expect(value).toEqual({
      content: [
        text("see"),
        { type: "image", mimeType: "image/png", part: 0, ...note },
        { type: "audio", mimeType: "audio/wav", part: 1 },
        { type: "resource", resource: { uri: resource.uri, mimeType: resource.mimeType, part: 2 } },
      ],
    });
    expect(restoreParts(value, parts!)).toEqual({ content });
  });

  it("keeps data in its blocks when it is not base64, above the limits, or has the wrong type", () => {
    const odd = [
      { type: "image", data: "A", mimeType: "image/png" },
      { type: "image", data: "AAAA", mimeType: "text/html" },
      { type: "image", data: "AAAA", mimeType: "image/png", part: 7 },
      { type: "audio", mimeType: "audio/wav" },
    ];
    expect(toToolValue({ content: odd }, free)).toEqual({ value: { content: odd } });
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const few = { ...free, media: { maxMediaParts: 1, maxMediaBytes: 100 } };
    expect(toToolValue({ content: [image, image] }, few).value).toEqual({
      content: [{ type: "image", mimeType: "image/png", part: 0 }, image],
    });
    const small = { ...free, media: { maxMediaParts: 9, maxMediaBytes: 2 } };
    expect(toToolValue({ content: [image] }, small)).toEqual({ value: { content: [image] } });
  });

  it("becomes only the structured content when the text repeats it", () => {
    const structuredContent = { b: 1, a: [2] };
    for (const words of ['{"b":1,"a":[2]}', '{\n  "a": [2],\n  "b": 1\n}']) {
      expect(toToolValue({ content: [text(words)], structuredContent }, free)).toEqual({
        value: structuredContent,
      });
    }
    expect(toToolValue({ content: [], structuredContent }, free).value).toBe(structuredContent);
  });

  it("keeps text and structured content when they differ", () => {
    const result = { content: [text("one is b")], structuredContent: { b: 1 } };
    expect(toToolValue(result, free).value).toEqual(result);
  });

  it("keeps _meta unless it is empty", () => {
    const content = [text("a"), text("b")];
    expect(toToolValue({ content, _meta: { trace: 1 } }, free).value).toEqual({
      content,
      _meta: { trace: 1 },
    });
    expect(toToolValue({ content, _meta: {} }, free).value).toEqual({ content });
  });

  it("has an empty content list when the result is empty", () => {
    expect(toToolValue({}, free).value).toEqual({ content: [] });
  });
});

describe("result of a tool with an output schema", () => {
  it("becomes the structured content and a note with the hash of other content", () => {
    const structuredContent = { b: 1 };
    const content = [text("one"), text("is"), text("b")];
    const { value, note } = toToolValue({ content, structuredContent }, typed);
    expect(value).toBe(structuredContent);
    expect(note).toMatch(/^content sha256:[0-9a-f]{64} \(3 blocks\)$/);
    expect(toToolValue({ content: [text("b")], structuredContent }, typed).note).toContain("(1 block)");
    expect(toToolValue({ content: [text('{"b":1}')], structuredContent }, typed)).toEqual({
      value: structuredContent,
    });
  });

  it("is rejected without structured content", () => {
    expect(refused({ content: [text("b")] }, typed)).toContain(
      "mcp_protocol: The server's result has no structuredContent",
    );
  });

  it("keeps the text of an error, which needs no structured content", () => {
    expect(toToolValue({ content: [text("no"), text("way")], isError: true }, typed).value).toEqual({
      content: [text("no"), text("way")],
    });
  });
});

describe("invalid content", () => {
  it.each([
    [{ content: "text" }, "/content that is not an array"],
    [{ content: null, structuredContent: 1 }, "/content that is not an array"],
    [{ content: {} }, "/content that is not an array"],
    [{ content: [text("a"), 3] }, "no object at /content/1"],
    [{ content: [null] }, "no object at /content/0"],
    [{ content: [[]] }, "no object at /content/0"],
    [{ content: [{ text: "a" }] }, "without a `type` at /content/0"],
  ])("is rejected with its pointer: %j", (result, words) => {
    expect(refused(result)).toContain(words);
  });
});

it("toToolValue rejects with a typed failure or keeps every block for any result", () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.oneof(fc.string(), fc.integer()) }),
    fc.dictionary(fc.constantFrom("type", "text", "data", "_meta"), fc.jsonValue()),
    fc.jsonValue(),
  );
  const result = fc.record(
    {
      content: fc.array(block),
      structuredContent: fc.jsonValue(),
      _meta: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(result, (sent) => {
      let made: { readonly value: unknown };
      try {
        made = toToolValue(sent as RemoteResult, free);
      } catch (error) {
        return ToolError.is(error) && error.code === "mcp_protocol";
      }
      const said = JSON.stringify(made.value) ?? "";
      return (sent.content ?? []).every((one) => {
        const words = (one as { readonly text?: unknown }).text;
        return (
          said.includes(JSON.stringify(one)) || made.value === words || sent.structuredContent !== undefined
        );
      });
    }),
  );
});
