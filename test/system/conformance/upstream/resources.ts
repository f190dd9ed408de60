import { type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { png } from "./pictures.ts";

export const resources = [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text that stays.",
    mimeType: "text/plain",
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "A picture that stays.",
    mimeType: "image/png",
  },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text to watch.",
    mimeType: "text/plain",
  },
];

export const templates = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "Data by id.",
    mimeType: "application/json",
  },
];

const words: Readonly<Record<string, string>> = {
  "test://static-text": "This is the content of the static text resource.",
  "test://watched-resource": "Watched resource content",
};

export const readResource = (uri: string): ReadResourceResult => {
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] };
  const text = words[uri];
  if (text !== undefined) return { contents: [{ uri, mimeType: "text/plain", text }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text: data }] };
};
