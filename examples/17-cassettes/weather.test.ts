//#region vitest
import { useCassette } from "haft/testing";
import { expect, it, onTestFinished } from "vitest";
import { open } from "./open.ts";

it("knows how cold it is in Oslo", async () => {
  const tape = useCassette(expect, { after: onTestFinished });
  await using haft = await open({ layers: [tape.layer] });
  const [reply] = await haft.turn([{ id: "1", tool: "weather", input: { city: "Oslo" } }]);
  expect(reply?.value).toEqual({ city: "Oslo", celsius: 4 });
});
//#endregion
