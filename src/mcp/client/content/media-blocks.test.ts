import { expect, it } from "vitest";
import { extractMedia, restoreMedia } from "./media-blocks.ts";

const red = { type: "image", mimeType: "image/png", data: "iVBORw==" };

it("restoreMedia restores the original blocks and removes part numbers set by the server", () => {
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

it("extractMedia leaves a block unchanged that has both data and a part field", () => {
  const own = { ...red, part: 7 };
  const { blocks, parts } = extractMedia([own]);
  expect(parts).toEqual([]);
  expect(restoreMedia(blocks, parts)).toEqual([own]);
});
