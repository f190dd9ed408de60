import { missingPackage } from "../../words/missing-package.ts";

export type Cedar = typeof import("@cedar-policy/cedar-wasm/nodejs");

/** The package, on first use: who has no Cedar policies needs none. */
export const loadCedar = (): Promise<Cedar> =>
  import("@cedar-policy/cedar-wasm/nodejs").catch(
    missingPackage("@cedar-policy/cedar-wasm", "Cedar policies need"),
  );
