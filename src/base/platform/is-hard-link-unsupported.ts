/** What file systems answer that know no hard links, such as exFAT, some network shares and some containers. */
const unsupportedErrorCodes: ReadonlySet<unknown> = new Set([
  "EPERM",
  "EACCES",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
]);

/** Whether a link could not be made because there are none here, and not because the file is there already. */
export const isHardLinkUnsupported = (error: unknown): boolean =>
  error instanceof Error && "code" in error && unsupportedErrorCodes.has(error.code);
