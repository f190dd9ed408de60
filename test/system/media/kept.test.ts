import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, Haft, tool, withMedia } from "haft";
import { says, scriptedModel } from "haft/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pngOf } from "../../kit/png-of.ts";
import { bundleProgram } from "../kit/bundle-program.ts";

const principal = { agent: "painter", allow: ["*"] };
const green = pngOf(64, [9, 120, 30]);
const data = green.toString("base64");
const picture = { kind: "image", mediaType: "image/png", data } as const;
const example = pngOf(3, [200, 0, 0]).toString("base64");

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-media-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fresh = (): string => join(folder, `ledger-${++count}.db`);

const scene = () => {
  const made: string[] = [];
  const draw = tool({
    name: "draw",
    description: "Draws",
    input: [],
    run: () => {
      made.push("draw");
      return withMedia({ width: 64 }, [{ ...picture, name: "green.png" }]);
    },
  });
  const wait = tool({ name: "wait", description: "Waits", input: [], run: () => "ok" });
  const ask = tool({
    name: "ask",
    description: "Draws for somebody",
    input: [],
    requiresApproval: true,
    run: () => {
      made.push("ask");
      return withMedia({ width: 64 }, [picture]);
    },
  });
  return { made, tools: [draw, wait, ask] };
};

it("a killed run resumes in another process with the images of its user and tools", async () => {
  const path = fresh();
  const victim = await bundleProgram(new URL("victim.ts", import.meta.url), folder);
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", victim, `sqlite:${path}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.on("data", () => child.kill("SIGKILL"));
    child.once("exit", (code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`The victim ended by itself: ${code}`)),
    );
  });
  const { made, tools } = scene();
  await using haft = await Haft.open({ tools, principal, ledger: `sqlite:${path}` });
  const [left] = await haft.runs({ status: "running" });
  const model = scriptedModel([says("Green.")], { takes: { data: ["image/*"] } });
  const painter = agent({ name: "painter", instructions: "Paint.", model, tools: ["*"] });
  const response = await haft.run(painter, undefined, { resume: left!.runId });
  expect(response).toMatchObject({ content: "Green.", status: "done" });
  // The killed process created the image; it is not repeated.
  expect(made).toEqual([]);
  expect(model.requests[0]?.messages.slice(1)).toMatchObject([
    { role: "user", content: [{ text: "Like this:" }, { kind: "image", data: example }] },
    { role: "assistant" },
    { role: "tool", tool: "draw", content: '{"width":64}', parts: [picture] },
    { role: "tool", tool: "wait", ok: false },
  ]);
  expect(await haft.log({ tool: "draw" })).toMatchObject([{ media: [{ bytes: green.length }] }]);
});
