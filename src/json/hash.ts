import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export const hashText = (text: string): string => hash("sha256", text, "hex");

/** Equal values have equal hashes, however their keys are ordered. */
export const hashJson = (value: unknown): string => hashText(canonicalJson(value));
