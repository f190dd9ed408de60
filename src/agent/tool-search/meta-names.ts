/** What models know the two tools by that find and show others. */
export const searchName = "search_tools";
export const loadName = "load_tools";
