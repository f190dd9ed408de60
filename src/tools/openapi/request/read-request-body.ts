import { headerProblem } from "../../../base/http/headers.ts";
import { isObject } from "../../../base/json/is-object.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";
import { contentEncodingOf } from "../../http/encode-content.ts";
import { followReferences } from "../follow-references.ts";
import type { ReportLoss } from "../loss-collector.ts";
import type { OpenApiBody, OpenApiMedia } from "../operation.ts";
import type { OpenApiDocument } from "../read-document.ts";

export const readRequestBody = (
  document: OpenApiDocument,
  given: unknown,
  at: string,
  reportLoss: ReportLoss,
): OpenApiBody | undefined => {
  if (given === undefined) return undefined;
  const resolved = followReferences(document.root, given, at);
  const value = "problem" in resolved ? undefined : resolved.value;
  if (!isObject(value)) {
    reportLoss(
      at,
      `The body is left out: ${"problem" in resolved ? resolved.problem : "it is not an object"}.`,
    );
    return undefined;
  }
  const { pointer } = resolved as { readonly pointer: string };
  const media = Object.entries(isObject(value.content) ? value.content : {}).flatMap(([type, content]) => {
    if (!isMediaType(type)) {
      reportLoss(
        pointer,
        `A media type of the body is left out: ${JSON.stringify(type.slice(0, 80))} cannot be sent.`,
      );
      return [];
    }
    const found = followReferences(document.root, content, `${pointer}/content${toPointer([type])}`);
    if ("problem" in found || !isObject(found.value)) return [];
    const { schema, encoding } = found.value;
    return [{ type, schema, encoding: isObject(encoding) ? encoding : {}, pointer: found.pointer }];
  });
  if (media.length === 0) {
    if (value.required === true) reportLoss(pointer, "The body is left out: it has no media type.");
    return undefined;
  }
  const { description } = value;
  return {
    required: value.required === true,
    ...(typeof description === "string" && description.trim() !== "" ? { description } : {}),
    media,
    pointer,
  };
};

/** Whether it can be sent in a header. */
export const isMediaType = (type: string): boolean =>
  /^[^\s/]+\/[^\s/;]+[ \t]*(;|$)/.test(type.trim()) && headerProblem("content-type", type) === undefined;

/** JSON, forms, text, bytes. */
const rankOf = (type: string): number => {
  const plain = type.split(";", 1)[0]!.trim().toLowerCase();
  if (plain === "application/json") return 0;
  if (plain === "*/*" || plain === "application/*") return 2;
  if (/patch\+json$/.test(plain)) return 3;
  return { json: 1, form: 4, multipart: 5, text: plain === "text/plain" ? 6 : 7, bytes: 8 }[
    contentEncodingOf(type)
  ];
};

/** A preferred type, or the simplest. */
export const chooseMedia = (body: OpenApiBody, preferred: readonly string[]): OpenApiMedia => {
  const wanted = preferred.map((type) => type.toLowerCase());
  const placeOf = ({ type }: OpenApiMedia): number => {
    const index = wanted.indexOf(type.toLowerCase());
    return index < 0 ? wanted.length + rankOf(type) : index;
  };
  return body.media.toSorted((one, other) => placeOf(one) - placeOf(other))[0]!;
};

export const contentTypeFor = (type: string): string => {
  const plain = type.trim();
  if (/^(?:\*|application)\/\*$/.test(plain)) return "application/json";
  if (plain.includes("*+json")) return plain.replace("*+json", "json");
  if (plain === "text/*") return "text/plain";
  return plain.includes("*") ? "application/octet-stream" : plain;
};
