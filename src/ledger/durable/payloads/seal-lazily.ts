import type { SealedText } from "./payload.ts";
import type { Vault } from "./vault.ts";

/** A text that is sealed when it is needed for the first time, and once: a transaction may be started over. */
export interface LazySealedText {
  readonly get: () => SealedText | undefined;
  /** Nothing if it cannot be kept: for what must be written down in any case. */
  readonly tryGet: () => SealedText | undefined;
  /** It was not written after all. */
  readonly discard: () => void;
}

export const sealLazily = (vault: Vault, text: string | undefined, of: string): LazySealedText => {
  if (text === undefined || vault.isLocked) return noSealedText;
  let sealed: SealedText | undefined;
  const get = (): SealedText | undefined => {
    sealed ??= vault.seal(text, of);
    return sealed;
  };
  return {
    get,
    tryGet: () => {
      try {
        return get();
      } catch {
        return undefined;
      }
    },
    discard: () => {
      const file = sealed?.[1];
      if (typeof file === "string") vault.drop([file]);
      sealed = undefined;
    },
  };
};

const noSealedText: LazySealedText = {
  get: () => undefined,
  tryGet: () => undefined,
  discard: () => {},
};
