import { beforeAll, expect, it } from "vitest";
import { type Bundle, bundle } from "../../../scripts/bundle.ts";

let root: Bundle;

beforeAll(async () => {
  root = await bundle("src/exports/index.ts");
});

it("importing haft loads only the package effect", () => {
  expect(root.packages).toEqual(["effect"]);
});

it("importing haft loads neither Effect Schema nor modules for models, MCP or HTTP", () => {
  const heavy =
    /effect\/dist\/(Schema|ai|http|sql|cluster)\b|^src\/(models(?!\/dialects\/)|mcp|server(?!\/gateway\/define-config\.ts)|fleet|sandbox(?!\/(sandboxes|skills\/skill-(names|settings-problem))\.ts)|cli)\//;
  expect(root.files.filter((file) => heavy.test(file))).toEqual([]);
});

it("the root entry point stays under 120 KB gzip", () => {
  expect(root.gzip).toBeLessThanOrEqual(120_000);
});
