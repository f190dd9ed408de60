/** RFC 6901. */
export const toPointer = (path: readonly (string | number)[]): string => {
  let pointer = "";
  for (const step of path) {
    pointer += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
};
