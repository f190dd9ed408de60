interface TemplatePart {
  readonly literal: string;
  /** What follows the literal. */
  readonly hole: "segment" | "path" | undefined;
}

const maxTemplateLength = 4096;

/** RFC 6570 operators whose values may contain slashes or be empty. */
const canSpanSegments = (expression: string): boolean =>
  /^[+#/?&.;]/u.test(expression) || expression.endsWith("*");

const parseTemplate = (template: string): readonly TemplatePart[] | undefined => {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const open = template.indexOf("{", from);
    if (open === -1) return [...parts, { literal: template.slice(from), hole: undefined }];
    const close = template.indexOf("}", open);
    if (close === -1) return undefined;
    const hole = canSpanSegments(template.slice(open + 1, close)) ? "path" : "segment";
    parts.push({ literal: template.slice(from, open), hole });
    from = close + 1;
  }
};

/** An approximation that searches each literal once, so untrusted templates stay cheap. */
export const matchesTemplate = (template: string, uri: string): boolean => {
  if (template.length > maxTemplateLength || uri.length > maxTemplateLength) return false;
  const parts = parseTemplate(template);
  if (parts === undefined || !uri.startsWith(parts[0]!.literal)) return false;
  let at = parts[0]!.literal.length;
  for (let i = 1; i < parts.length; i++) {
    const { literal } = parts[i]!;
    const { hole } = parts[i - 1]!;
    const isLast = i === parts.length - 1;
    const least = hole === "segment" ? at + 1 : at;
    const end = isLast ? uri.length - literal.length : uri.indexOf(literal, least);
    if (end < least || !uri.startsWith(literal, end)) return false;
    if (hole === "segment" && uri.slice(at, end).includes("/")) return false;
    at = end + literal.length;
  }
  return at === uri.length;
};
