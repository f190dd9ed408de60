/** Why a place could not be asked, in words that are safe to show: they hold no value and nothing a place said. */
export class SecretError extends Error {}

/** The largest secret. */
export const maxSecretBytes = 64 * 1024;

/** Bytes of a file or a program as a secret: text, less the one line break that editors and `echo` put at its end. */
export const decodeSecret = (bytes: Uint8Array, where: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new SecretError(`${where} holds something else than UTF-8 text`);
  }
};
