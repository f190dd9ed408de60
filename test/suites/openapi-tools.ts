import { fromOpenApi } from "../../src/exports/openapi.ts";
import { recordedDocuments } from "../kit/openapi/recorded-documents.ts";
import type { Suite } from "./suite.ts";

export const name = "operations of OpenAPI documents that become tools";

export const floor = 0.98;

export const run: Suite["run"] = async (dataDir) => {
  const notes: string[] = [];
  let right = 0;
  let total = 0;
  let losses = 0;
  for (const { file, operations, text } of await recordedDocuments(dataDir)) {
    total += operations;
    const made = await fromOpenApi(text, { documentUrl: "https://documents.example/" });
    right += made.tools.length;
    losses += made.losses.length;
    const names = new Set(made.tools.map(({ spec }) => spec.name));
    if (made.tools.length !== operations || names.size !== operations) {
      const [first] = made.losses;
      notes.push(`${file}: ${made.tools.length} tools of ${operations}; ${first?.operation} ${first?.what}`);
    }
  }
  return { right, wrong: 0, total, notes: [`${losses} losses named`, ...notes] };
};
