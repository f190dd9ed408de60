import { expect, it } from "vitest";
import { checkTypes } from "./compile.ts";

it("experimental and standard decorators pass the same type tests", async () => {
  const files = ["../../../src/tools/decorator.test-d.ts", "fixtures/tools.ts"];
  expect(await checkTypes(files, ["--experimentalDecorators", "--emitDecoratorMetadata"])).toBe("");
});

it("the type check fails on private statics under experimentalDecorators", async () => {
  expect(await checkTypes(["fixtures/privates.ts"], ["--experimentalDecorators"])).toContain("error TS");
});
