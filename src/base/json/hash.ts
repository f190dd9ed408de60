import { canonicalJson } from "./canonical-json.ts";

type Crypto = typeof import("node:crypto");

/** Loaded on first use to keep imports fast. */
let cryptoHash: Crypto["hash"] | undefined;

/** SHA-256 of the UTF-8 bytes, in hexadecimal. */
export const hashText = (text: string): string => {
  cryptoHash ??= process.getBuiltinModule("node:crypto").hash;
  return cryptoHash("sha256", text, "hex");
};

export const hashJson = (value: unknown): string => hashText(canonicalJson(value));
