export type Theme = "system" | "light" | "dark";

const place = "haft-studio-theme";

/** What was chosen in this browser before. */
export const readTheme = (): Theme => {
  const kept = localStorage.getItem(place);
  return kept === "light" || kept === "dark" ? kept : "system";
};

export const applyTheme = (theme: Theme): void => {
  if (theme === "system") {
    localStorage.removeItem(place);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(place, theme);
    document.documentElement.dataset.theme = theme;
  }
  document.dispatchEvent(new Event("haft-theme"));
};
