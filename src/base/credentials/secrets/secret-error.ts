/** Its message is safe to show: it contains no value and no text from the source. */
export class SecretError extends Error {}

export const maxSecretBytes = 64 * 1024;

/** Removes one final line break, which editors and `echo` add. */
export const decodeSecret = (bytes: Uint8Array, where: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new SecretError(`${where} is not UTF-8 text`);
  }
};
