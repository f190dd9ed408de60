import { recordedDocuments } from "../kit/openapi/recorded-documents.ts";
import { callAllOperations } from "../kit/openapi/recorded-requests.ts";
import { prismFor } from "../system/kit/openapi/prism-for.ts";
import type { Suite } from "./suite.ts";

export const name = "requests of OpenAPI tools that Prism's validator takes";

export const floor = 0.995;

const times = 5;
const seed = 20_261_117;

/**
 * Arguments generated from each tool's own schema go through the whole pipeline to a server. Prism checks
 * what the server received.
 */
export const run: Suite["run"] = async (dataDir) => {
  const notes: string[] = [];
  const byDocument: string[] = [];
  let right = 0;
  let wrong = 0;
  let total = 0;
  let unjudged = 0;
  for (const { file, document } of await recordedDocuments(dataDir)) {
    const [{ calls }, problemOf] = await Promise.all([
      callAllOperations(document, times, seed),
      prismFor(document),
    ]);
    let good = 0;
    for (const call of calls) {
      const problem = call.request === undefined ? undefined : problemOf(call);
      if (problem?.startsWith("Prism cannot judge")) {
        unjudged++;
        continue;
      }
      total++;
      if (call.request === undefined) notes.push(`${file} ${call.operation}: ${call.refused}`);
      else if (problem === undefined) good++;
      else {
        wrong++;
        notes.push(`${file} ${call.operation}: ${problem}`);
      }
    }
    right += good;
    byDocument.push(`${file} ${good}/${calls.length}`);
  }
  return {
    right,
    wrong,
    total,
    notes: [`${unjudged} over which Prism throws; ${byDocument.join(", ")}`, ...notes],
  };
};
