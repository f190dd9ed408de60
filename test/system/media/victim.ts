import { writeSync } from "node:fs";
import { agent, Haft, tool, withMedia } from "../../../src/exports/index.ts";
import { calls, scriptedModel } from "../../../src/testing/scripted-model.ts";
import { pngOf } from "../../kit/png-of.ts";

/** A process for a kill test: it has made an image, and its next call never ends. */
const [place = ""] = process.argv.slice(2);

const draw = tool({
  name: "draw",
  description: "Draws",
  input: [],
  run: () =>
    withMedia({ width: 64 }, [{ kind: "image", mediaType: "image/png", data: pngOf(64, [9, 120, 30]) }]),
});
const wait = tool({
  name: "wait",
  description: "Waits",
  input: [],
  run: () => new Promise(() => {}),
});
const model = scriptedModel([calls(["draw", {}], ["wait", {}])]);
const painter = agent({ name: "painter", instructions: "Paint.", model, tools: ["*"] });
const haft = await Haft.open({
  tools: [draw, wait],
  principal: { agent: "painter", allow: ["*"] },
  ledger: place,
});
// The image is on disk now, and the run has not continued yet.
haft.on("tools.executed", () => writeSync(1, "drawn\n"));
const example = pngOf(3, [200, 0, 0]).toString("base64");
await haft.run(painter, [
  { kind: "text", text: "Like this:" },
  { kind: "image", mediaType: "image/png", data: example },
]);
