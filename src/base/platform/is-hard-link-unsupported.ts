/** Error codes of file systems without hard links, such as exFAT and some network shares. */
const unsupportedErrorCodes: ReadonlySet<unknown> = new Set([
  "EPERM",
  "EACCES",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
]);

export const isHardLinkUnsupported = (error: unknown): boolean =>
  error instanceof Error && "code" in error && unsupportedErrorCodes.has(error.code);
