/** No connection came about, so nothing was sent. */
export const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The code of a broken network call, which may be some causes deep. */
export const networkCode = (error: unknown): string | undefined => {
  let each: unknown = error;
  for (let depth = 0; depth < 6 && typeof each === "object" && each !== null; depth++) {
    const { code, errors, cause } = each as Record<"code" | "errors" | "cause", unknown>;
    if (
      typeof code === "string" &&
      /^E[A-Z]|^UND_ERR_|^ERR_|^CERT_|^DEPTH_|^SELF_/.test(code) &&
      code !== "ERA_NEGOTIATION_FAILED"
    ) {
      return code;
    }
    each = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return undefined;
};
