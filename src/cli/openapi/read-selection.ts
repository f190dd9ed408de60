import type { OpenApiSelection } from "../../tools/openapi/operation-selector.ts";

const httpMethods = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

export const readSelection = (patterns: readonly string[]): OpenApiSelection => {
  const found: Record<"tags" | "paths" | "methods" | "operations", string[]> = {
    tags: [],
    paths: [],
    methods: [],
    operations: [],
  };
  for (const pattern of patterns) {
    if (pattern.startsWith("tag:")) found.tags.push(pattern.slice(4));
    else if (pattern.startsWith("/")) found.paths.push(pattern);
    else if (httpMethods.has(pattern.toUpperCase())) found.methods.push(pattern.toUpperCase());
    else found.operations.push(pattern);
  }
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
};
