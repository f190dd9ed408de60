import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";

export type Cedar = typeof import("@cedar-policy/cedar-wasm/nodejs");

const requirementText = "Cedar policies need";

export const loadCedar = (): Promise<Cedar> => {
  checkPackage("@cedar-policy/cedar-wasm", requirementText);
  return import("@cedar-policy/cedar-wasm/nodejs").catch(
    missingPackage("@cedar-policy/cedar-wasm", requirementText),
  );
};
