import { expect, it } from "vitest";
import { extractMedia, restoreMedia } from "./media-blocks.ts";

const red = { type: "image", mimeType: "image/png", data: "iVBORw==" };

it("blocks are what they were once their bytes are put back, and a number of the server's own gets nobody's bytes", () => {
  const forged = { type: "image", mimeType: "image/png", part: 0 };
  const resource = { type: "resource", resource: { uri: "a:b", mimeType: "image/png", part: 0 } };
  const { blocks, parts } = extractMedia([red, forged, resource, { uri: "a:c", part: 0 }]);
  expect(parts).toHaveLength(1);
  expect(restoreMedia(blocks, parts)).toEqual([
    red,
    { type: "image", mimeType: "image/png" },
    { type: "resource", resource: { uri: "a:b", mimeType: "image/png" } },
    { uri: "a:c" },
  ]);
});

it("a number beside bytes is a field of the server's own, and stays", () => {
  const own = { ...red, part: 7 };
  const { blocks, parts } = extractMedia([own]);
  expect(parts).toEqual([]);
  expect(restoreMedia(blocks, parts)).toEqual([own]);
});
