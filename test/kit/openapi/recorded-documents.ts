import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../../src/base/json/json-value.ts";
import { readDocument } from "../../../src/tools/openapi/read-document.ts";

export interface RecordedDocument {
  readonly file: string;
  /** As counted in the index. */
  readonly operations: number;
  readonly text: string;
  readonly document: JsonObject;
}

/** The OpenAPI documents of the data folder. */
export const recordedDocuments = async (dataDir: string): Promise<readonly RecordedDocument[]> => {
  const folder = join(dataDir, "schemas/openapi");
  const index = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as Omit<
    RecordedDocument,
    "text" | "document"
  >[];
  return Promise.all(
    index.map(async ({ file, operations }) => {
      const text = await readFile(join(folder, file), "utf8");
      const { root } = await readDocument(text);
      return { file, operations, text, document: root };
    }),
  );
};
