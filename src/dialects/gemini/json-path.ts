const step = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The steps of a path to one place, such as `$.rows[0]['first name']`, or nothing if it leads to several or none. */
export const readJsonPath = (path: string): readonly (string | number)[] | undefined => {
  if (!path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null) return undefined;
    const [, name, index, single, double] = found;
    const quoted = single ?? double;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? name! : quoted.replace(/\\(.)/g, "$1"));
  }
  return steps;
};
