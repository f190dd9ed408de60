import { freezeJson } from "../../base/json/json-value.ts";
import { readClassicSignature } from "./classic-signature.ts";
import type { Bracket, Path, Position } from "./document.ts";
import { type Diagnostic, DiagnosticCollector } from "./format-diagnostic.ts";
import { readGram } from "./read-gram.ts";
import { readPathSignature } from "./read-path-signature.ts";
import type { Signature } from "./signature-types.ts";

/** The signature, or the problems of the text. */
export type ReadSignatureResult =
  | { readonly ok: true; readonly signature: Signature }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads `(name: Text, age: Maybe Int) --> IO Text`, or a gram path such as `(name::String)==>(::String)`,
 * optionally followed by brackets with object shapes. Never throws.
 */
export const readSignature = (text: string): ReadSignatureResult => {
  if (typeof text !== "string") return readClassic("");
  if (!isPath(text)) return readClassic(text);
  const path = readPath(text);
  // A parenthesized classic type looks like a node without label.
  const classic = path.ok ? path : readClassic(text);
  return classic.ok ? classic : path;
};

/** Reads the signature of a document's path; `shapes` are the brackets next to it. */
export const signatureOfPath = (path: Path, shapes: readonly Bracket[] = []): ReadSignatureResult => {
  const problems = new DiagnosticCollector();
  const signature = readPathSignature(path, shapes, problems);
  return signature === undefined
    ? failedReading(problems.list)
    : { ok: true, signature: freezeJson(signature) };
};

/** After its arrow, a path has a node and the classic form a type. */
const isPath = (text: string): boolean => {
  const close = [...text.matchAll(quotationOrCloseParen)].find(([each]) => each === ")");
  if (close === undefined) return text.includes("::");
  const rest = text.slice(close.index + 1).replace(/^(?:\s|\/\/[^\n]*)+/, "");
  if (rest === "") return text.includes("::");
  const [, arrow = "", next = ""] = /^([-=~<>\s]*)(.?)/s.exec(rest) ?? [];
  return next === "(" || (next === "[" && !arrow.includes(">"));
};

/** An unterminated quotation runs to the end, so that matching stays linear. */
const quotationOrCloseParen = /```.*?(?:```|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?|\)/gs;

const readClassic = (text: string): ReadSignatureResult => {
  const reading = readClassicSignature(text);
  if (reading.ok) return { ok: true, signature: freezeJson(reading.signature) };
  return failedReading(
    reading.complaints.map(({ code, offset, message, hint }) => ({
      code,
      ...positionAt(text, offset),
      message,
      hint,
    })),
  );
};

const readPath = (text: string): ReadSignatureResult => {
  const reading = readGram(text);
  if (!reading.ok) return failedReading(reading.diagnostics);
  const { header, items } = reading.document;
  const paths = items.filter((item) => item.kind === "path");
  const shapes = items.filter((item) => item.kind === "bracket");
  const [path, second] = paths;
  const odd = header ?? items.find((item) => item.kind === "annotated") ?? second;
  if (path !== undefined && odd === undefined) return signatureOfPath(path, shapes);
  const problems = new DiagnosticCollector();
  problems.add(
    "signature-syntax",
    odd?.at,
    "A signature is one path, and the shapes of its objects",
    "Write (name::String)==>(::String).",
  );
  return failedReading(problems.list);
};

const failedReading = (diagnostics: readonly Diagnostic[]): ReadSignatureResult => ({
  ok: false,
  diagnostics: Object.freeze([...diagnostics]),
});

const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n"), offset };
};
