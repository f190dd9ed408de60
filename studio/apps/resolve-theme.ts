export type ShownTheme = "light" | "dark";

const dark = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

/** Which of the two is shown: what was chosen here, or what the system says. */
export const themeNow = (): ShownTheme => {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : dark().matches ? "dark" : "light";
};

export const watchTheme = (changed: (theme: ShownTheme) => void): (() => void) => {
  const query = dark();
  const tell = (): void => changed(themeNow());
  document.addEventListener("haft-theme", tell);
  query.addEventListener("change", tell);
  return () => {
    document.removeEventListener("haft-theme", tell);
    query.removeEventListener("change", tell);
  };
};
