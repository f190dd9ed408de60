// Tool search by meaning with your own embedding function, whose vectors are cached in a file.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "haft";
//#region scorer
import { embeddingScorer, fileVectorStore } from "haft/selection";

//#endregion
const named = (name: string, description: string) =>
  tool({ name, description, input: { type: "object" }, run: () => null }).spec;
const specs = [
  named("hire_vehicle", "Hire an automobile for some days"),
  named("bake_bread", "Bake bread in an oven"),
  named("play_music", "Play a song aloud"),
];
const folder = mkdtempSync(join(tmpdir(), "haft-vectors-"));
process.chdir(folder);

// A stub embedding: one dimension per topic with its words.
const topics = [/\b(car|automobile|vehicle|drive)\b/gi, /\b(bread|bake|oven)\b/gi, /\b(song|music|play)\b/gi];
const embed = async (texts: readonly string[]): Promise<number[][]> =>
  texts.map((text) => topics.map((topic) => text.match(topic)?.length ?? 0));

//#region scorer
const name = "topics-1"; // change it with the vectors: another model, another version
const scorer = embeddingScorer({
  name,
  embed, // (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>
  cache: fileVectorStore({ file: ".haft/tools.vectors", name }),
});
await scorer.prepare(specs); // at the start, so that the first query does not wait
//#endregion

const request = { query: "I need a car", specs, lexical: [], limit: 1 };
const { tools, fallback } = await scorer.rank(request, new AbortController().signal);
assert.equal(fallback, undefined);
assert.equal(tools[0]?.spec.name, "hire_vehicle");

//#region own
const own = embeddingScorer({
  name: "acme-embed-2", // another model or version needs another name
  embed: async (texts, signal) => {
    const response = await fetch("http://127.0.0.1:9/embed", {
      method: "POST",
      body: JSON.stringify(texts),
      signal,
    });
    return (await response.json()) as number[][];
  },
  range: [0.1, 0.6], // cosines of unrelated texts and of synonymous texts with this model
});
//#endregion

// Without the service the score uses words only, and the reason says so.
const words = [{ spec: specs[1]!, score: 0.5, reason: "shares bread" }];
const alone = await own.rank(
  { query: "bread", specs, lexical: words, limit: 1 },
  new AbortController().signal,
);
assert.match(alone.fallback ?? "", /the embedder acme-embed-2 failed/);
assert.equal(alone.tools[0]?.spec.name, "bake_bread");

process.chdir(tmpdir());
rmSync(folder, { recursive: true });
console.log("found by meaning:", tools[0]?.spec.name);
