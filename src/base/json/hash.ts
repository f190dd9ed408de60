import { canonicalJson } from "./canonical-json.ts";

type Crypto = typeof import("node:crypto");

/** Loaded with the first hash: it is the largest part of Node that the root entry needs, and importing hashes nothing. */
let cryptoHash: Crypto["hash"] | undefined;

/** SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export const hashText = (text: string): string => {
  cryptoHash ??= process.getBuiltinModule("node:crypto").hash;
  return cryptoHash("sha256", text, "hex");
};

/** Equal values have equal hashes, however their keys are ordered. */
export const hashJson = (value: unknown): string => hashText(canonicalJson(value));
