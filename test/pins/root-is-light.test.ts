import { beforeAll, expect, it } from "vitest";
import { type Bundle, bundle } from "../../scripts/bundle.ts";

let root: Bundle;

beforeAll(async () => {
  root = await bundle("src/index.ts");
}, 30_000);

it("importing haft loads these packages and no others", () => {
  const light = [
    "ajv",
    "effect",
    "fast-deep-equal",
    "fast-uri",
    "json-schema-traverse",
    "require-from-string",
  ];
  expect(root.packages.filter((name) => !light.includes(name))).toEqual([]);
});

it("importing haft loads neither Effect's Schema nor a room that talks to the world", () => {
  const heavy =
    /effect\/dist\/(Schema|ai|http|sql|cluster)\b|^src\/(models|mcp|server|fleet|sandbox|cli|studio)\//;
  expect(root.files.filter((file) => heavy.test(file))).toEqual([]);
});

it("the root entry stays under 100 KB gzip", () => {
  expect(root.gzip).toBeLessThanOrEqual(100_000);
});
