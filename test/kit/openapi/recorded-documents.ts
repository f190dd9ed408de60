import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readDocument } from "../../../src/bridges/openapi/read-document.ts";
import type { JsonObject } from "../../../src/json/is-object.ts";

export interface KeptDocument {
  readonly file: string;
  /** As the index counted them. */
  readonly operations: number;
  readonly text: string;
  readonly document: JsonObject;
}

/** The OpenAPI documents of the data folder. */
export const keptDocuments = async (dataDir: string): Promise<readonly KeptDocument[]> => {
  const folder = join(dataDir, "schemas/openapi");
  const index = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as Omit<
    KeptDocument,
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
