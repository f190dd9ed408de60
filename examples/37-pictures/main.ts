// A tool that returns an image, a model that sees it, and one that reads a description. Offline: the models
// are scripted.
import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
//#region tool
import { agent, Haft, tool, withMedia } from "haft";
import { z } from "zod";
import { png } from "./png.ts";

const chart = tool({
  name: "draw_chart",
  description: "Draws a chart of one color",
  input: z.object({ color: z.enum(["red", "green"]) }),
  output: z.object({ width: z.number() }),
  annotations: { readOnly: true },
  run: ({ color }) => {
    const bytes = png(16, color === "red" ? [200, 0, 0] : [0, 160, 0]);
    return withMedia({ width: 16 }, [
      { kind: "image", mediaType: "image/png", data: bytes, name: `${color}.png` },
    ]);
  },
});

//#endregion
import { calls, says, scriptedModel } from "haft/testing";

const folder = mkdtempSync(join(tmpdir(), "haft-pictures-"));
const haft = await Haft.open({
  tools: [chart],
  principal: { agent: "painter", allow: ["*"] },
  ledger: `sqlite:${join(folder, "haft.db")}`,
});

// A model with image input receives the user's image and that of the tool.
const seeing = scriptedModel([calls(["draw_chart", { color: "green" }]), says("The chart is green.")], {
  takes: { data: ["image/*"] },
});
const painter = agent({ name: "painter", instructions: "Describe charts.", model: seeing, tools: ["*"] });
//#region ask
const photo = png(8, [200, 0, 0]).toString("base64");
const answer = await haft.run(painter, [
  { kind: "text", text: "Draw me one like this, but green:" },
  { kind: "image", mediaType: "image/png", data: photo, name: "red.png" },
]);
//#endregion
assert.equal(answer.content, "The chart is green.");
assert.equal(answer.losses, undefined);
const green = png(16, [0, 160, 0]).toString("base64");
const toolMessage = seeing.requests[1]?.messages.at(-1);
assert.ok(toolMessage?.role === "tool" && toolMessage.content === '{"width":16}');
assert.deepEqual(toolMessage.parts, [
  { kind: "image", mediaType: "image/png", name: "green.png", data: green },
]);

// A model without image input receives a text instead, and the response lists what was lost.
const blind = scriptedModel([says("I cannot see it.")]);
//#region losses
const { losses = [] } = await haft.run(painter, "Describe the last chart.", {
  model: blind,
  context: answer.context,
});
for (const { message, mediaType, reason } of losses)
  console.log(`message ${message}: ${mediaType}: ${reason}`);
//#endregion
assert.deepEqual(
  losses.map(({ message, part, model }) => [message, part, model]),
  [
    [0, 1, "scripted/model"],
    [2, 0, "scripted/model"],
  ],
);
assert.match(JSON.stringify(blind.requests[0]?.messages), /it cannot be shown to you/);

// The conversation still has the image: it is plain JSON and can be stored anywhere.
assert.deepEqual(JSON.parse(JSON.stringify(answer.context)), answer.context);

// The log has its hash, and none of its bytes.
//#region log
const [entry] = await haft.log({ tool: "draw_chart" });
console.log(entry?.media); // [{ kind: "image", mediaType: "image/png", name: "green.png", bytes: …, sha256: "…" }]
//#endregion
assert.equal(entry?.media?.[0]?.bytes, Buffer.from(green, "base64").length);
assert.ok(!JSON.stringify(await haft.log()).includes(green));

await haft.close();
rmSync(folder, { recursive: true });
console.log("ok");
