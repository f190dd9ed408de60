import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pngOf } from "../kit/png-of.ts";
import { fixture, haft } from "./haft.ts";

const looker = fixture("looker.ts");
let folder: string;
const put = async (name: string, bytes: Uint8Array | string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-file-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("sends files after the question in order, typed by content instead of name", async () => {
  const picture = await put("plan.txt", pngOf(2, [1, 2, 3]));
  const sound = await put("a.wav", "RIFF....WAVEfmt ");
  const paper = await put("b.bin", "%PDF-1.7");
  const words = ["run", looker, "What is it?", "--file", picture, "-f", sound, "--file", paper];
  const { code, out } = await haft(words);
  expect(out.trim()).toBe(
    '"What is it?", image image/png plan.txt, audio audio/wav a.wav, file application/pdf b.bin',
  );
  expect(code).toBe(0);
});

it("accepts a file without a question, and sends a text file as text", async () => {
  const notes = await put("notes.md", "# Größe");
  const { code, out } = await haft(["run", looker, "--file", notes]);
  expect([code, out.trim()]).toEqual([0, 'File "notes.md" (text/markdown):\n# Größe']);
});

it("sends the files with the first message of a chat", async () => {
  const picture = await put("p.png", pngOf(2, [1, 2, 3]));
  const { out } = await haft(["run", looker, "--file", picture], { answers: ["This?", "And now?"] });
  expect(out).toContain('"This?", image image/png p.png');
  expect(out).toContain("And now?");
});

it("warns when the model does not accept images", async () => {
  const picture = await put("q.png", pngOf(2, [1, 2, 3]));
  const { code, error } = await haft(["run", looker, "Look", "--model", "offline", "--file", picture]);
  expect(code).toBe(0);
  expect(error).toContain("! offline/planner receives a text description only: image/png");
});

it.each([
  ["nowhere.png", "this file does not exist"],
  [".", "is not a file. Pass each file separately"],
  ["empty.png", "is empty"],
])("reports what is wrong with %s before a model is called", async (name, message) => {
  await put("empty.png", "");
  const { code, out, error } = await haft(["run", looker, "Look", "--file", join(folder, name)]);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(message);
});
