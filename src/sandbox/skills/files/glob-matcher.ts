import { toPatternMatcher } from "../../../base/schema/pattern-matcher.ts";

/**
 * `*` and `?` match within a name, `**` across folders, `{a,b}` either. Linear. A pattern without a slash
 * matches the last name.
 */
export const globMatcher = (glob: string): ((path: string) => boolean) => {
  const { test } = toPatternMatcher(`^${globToPattern(glob)}$`);
  return glob.includes("/") ? test : (path) => test(path.slice(path.lastIndexOf("/") + 1));
};

const globToPattern = (glob: string): string => {
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const letter = glob[at]!;
    if (glob.startsWith("**/", at)) {
      pattern += "(?:[^/]*/)*";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      pattern += "[\\s\\S]*";
      at += 1;
    } else if (letter === "*") pattern += "[^/]*";
    else if (letter === "?") pattern += "[^/]";
    else if (letter === "{" && glob.indexOf("}", at) !== -1) {
      depth++;
      pattern += "(?:";
    } else if (letter === "}" && depth > 0) {
      depth--;
      pattern += ")";
    } else if (letter === "," && depth > 0) pattern += "|";
    else pattern += letter.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
  }
  return pattern + ")".repeat(depth);
};
