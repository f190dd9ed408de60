export const scaleText = async (
  _s: readonly number[],
  _o: readonly string[] | undefined,
  _say: (t: string) => void,
) => ({ text: "", json: {} });
