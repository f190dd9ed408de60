/** The JSON pointer (RFC 6901) of a path; the empty path is "", the whole value. */
export const toPointer = (path: readonly (string | number)[]): string => {
  let pointer = "";
  for (const step of path) {
    pointer += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
};
