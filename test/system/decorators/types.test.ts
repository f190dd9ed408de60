import { expect, it } from "vitest";
import { checkTypes } from "./compile.ts";

it("the compiler says the same under experimentalDecorators as it does of standard decorators", async () => {
  const files = ["../../../src/tools/decorator.test-d.ts", "fixtures/tools.ts"];
  expect(await checkTypes(files, ["--experimentalDecorators", "--emitDecoratorMetadata"])).toBe("");
});

it("the compiler is asked in earnest: private statics of a decorated class are standard only", async () => {
  expect(await checkTypes(["fixtures/privates.ts"], ["--experimentalDecorators"])).toContain("error TS");
});
